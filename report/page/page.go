// Package page writes documents of package report as a page of HTML: one file that loads nothing
// from elsewhere, with a script and a style sheet of ours in it. Documents come in, a page goes
// out; nothing is decided here.
//
// Programs are texts of strangers, and so are their names. They are in the page as one JSON in
// which no character is left that could end it, the script makes text of them and never markup,
// and the page forbids every other script by its content security policy.
package page

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"strings"

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

// Write writes a page with documents, in their order.
func Write(w io.Writer, docs []*report.Document) error {
	// The encoder leaves no <, > or & in strings.
	data, err := json.Marshal(docs)
	if err != nil {
		return err
	}
	script := Script + start
	policy := fmt.Sprintf("default-src 'none'; script-src '%s'; style-src '%s'; base-uri 'none'; form-action 'none'", hash(script), hash(Style))
	_, err = strings.NewReplacer(
		"{{.Title}}", html.EscapeString(title(docs)),
		"{{.Policy}}", html.EscapeString(policy),
		"{{.Style}}", Style,
		"{{.Script}}", script,
		"{{.Data}}", `<script type="application/json" id="documents">`+string(data)+`</script>`,
	).WriteString(w, frame)
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
