package lsp

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fencepost-verifier/fencepost"
)

// A diagnostic is what an editor underlines.
type diagnostic struct {
	Range    span      `json:"range"`
	Severity int       `json:"severity"`
	Source   string    `json:"source"`
	Message  string    `json:"message"`
	Related  []related `json:"relatedInformation,omitempty"`
}

type related struct {
	Location location `json:"location"`
	Message  string   `json:"message"`
}

// The severities of diagnostics and of messages.
const (
	severityError  = 1
	messageError   = 1
	messageWarning = 2
	messageInfo    = 3
)

func (s *server) publish(d *document, ds []diagnostic) error {
	if ds == nil {
		ds = []diagnostic{}
	}
	return s.conn.notify("textDocument/publishDiagnostics", map[string]any{"uri": d.uri, "version": d.version, "diagnostics": ds}, false)
}

// show shows a message to the person.
func (s *server) show(kind int, text string) error {
	return s.conn.notify("window/showMessage", map[string]any{"type": kind, "message": text}, false)
}

// diagnose says what is wrong with a text as it is now.
func (s *server) diagnose(d *document) error {
	d.broken = false
	if !slices.Contains(fencepost.Extensions(), filepath.Ext(d.name)) {
		return s.publish(d, nil)
	}
	s.notice(d)
	if d.broken = fencepost.Fragment(d.name, d.text); d.broken { // what its names mean is up to those that include it
		if _, _, err := fencepost.Layout(d.name, strings.NewReader(d.text), d.unsaved()); err != nil {
			return s.publish(d, []diagnostic{d.diagnostic(err)})
		}
		return s.publish(d, nil)
	}
	p, err := d.read()
	if err == nil {
		d.included = flatten(p.Source.Included)
		return s.publish(d, nil)
	}
	var at *fencepost.Diagnostic
	if errors.As(err, &at) && at.Pos.File != "" && !d.includes(at.Pos.File) {
		d.included = append(d.included, at.Source)
	}
	d.broken = true
	return s.publish(d, []diagnostic{d.diagnostic(err)})
}

// diagnostic is an error as the editor shows it.
func (d *document) diagnostic(err error) diagnostic {
	out := diagnostic{Severity: severityError, Source: "fencepost", Message: err.Error()}
	var at *fencepost.Diagnostic
	if errors.As(err, &at) {
		out.Message, out.Range = at.Msg, d.at(at.Pos)
		if at.Pos.File != "" {
			out.Message = fmt.Sprintf("%s:%d: %s", at.Pos.File, at.Pos.Line, at.Msg)
			out.Related = []related{{elsewhere(at.Source, at.Pos), at.Msg}}
		}
		if at.Hint != "" {
			out.Message += "\n" + at.Hint
		}
	}
	return out
}
