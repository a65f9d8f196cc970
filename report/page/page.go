// Package page writes documents of package report as a page of HTML: one file that loads nothing
// from elsewhere, with a script and a style sheet of ours in it. Documents come in, a page goes
// out; nothing is decided here.
//
// Programs are texts of strangers, and so are their names. They are in the page as one JSON in
// which no character is left that could end it, the script makes text of them and never markup,
// and the page forbids every other script by its content security policy.
package page

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"io"

	"github.com/fencepost-verifier/fencepost/report"
)

// Script makes elements of a document: Fencepost.view(root, document). Style is for them.
var (
	//go:embed assets/view.js
	Script string
	//go:embed assets/view.css
	Style string
	//go:embed assets/page.js
	start string
	//go:embed assets/page.html
	frame string
)

var page = template.Must(template.New("page").Parse(frame))

// Write writes a page with documents, in their order.
func Write(w io.Writer, docs []*report.Document) error {
	// The encoder leaves no <, > or & in strings.
	data, err := json.Marshal(docs)
	if err != nil {
		return err
	}
	script := Script + start
	fill := struct {
		Title, Policy string
		Style         template.CSS
		Script        template.JS
		Data          template.HTML
	}{
		Title:  title(docs),
		Policy: fmt.Sprintf("default-src 'none'; script-src '%s'; style-src '%s'; base-uri 'none'; form-action 'none'", hash(script), hash(Style)),
		Style:  template.CSS(Style), Script: template.JS(script),
		Data: template.HTML(`<script type="application/json" id="documents">` + string(data) + `</script>`),
	}
	var b bytes.Buffer
	if err := page.Execute(&b, fill); err != nil {
		return err
	}
	_, err = w.Write(b.Bytes())
	return err
}

func title(docs []*report.Document) string {
	switch len(docs) {
	case 0:
		return "Fencepost"
	case 1:
		return docs[0].Word + " " + docs[0].File
	}
	return fmt.Sprintf("Fencepost: %d answers", len(docs))
}

// hash is how a policy names a script or a style sheet.
func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}
