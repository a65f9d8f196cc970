package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/fencepost-verifier/fencepost"
)

// patience is how long a check may take that an editor asks for.
const patience = time.Minute

type documentParams struct {
	Document documentID `json:"textDocument"`
}

// actions are what can be done about a file.
func (s *server) actions(p documentParams) (any, error) {
	d, err := s.document(p.Document.URI)
	if err != nil || d.broken {
		return []any{}, err
	}
	action := func(title, kind, command string) map[string]any {
		return map[string]any{"title": title, "kind": kind,
			"command": map[string]any{"title": title, "command": command, "arguments": []string{d.uri}}}
	}
	return []any{
		action("Fencepost: check this file", "source.fencepost", checkCommand),
		action("Fencepost: insert the fences that it needs", "source.fencepost", fencesCommand),
	}, nil
}

// execute begins a command about a file; what comes of it is told by notifications.
func (s *server) execute(p struct {
	Command   string            `json:"command"`
	Arguments []json.RawMessage `json:"arguments"`
}) (any, error) {
	var uri string
	if len(p.Arguments) == 0 || json.Unmarshal(p.Arguments[0], &uri) != nil {
		return nil, errors.New("the argument of a command is the URI of a file")
	}
	d, err := s.document(uri)
	if err != nil {
		return nil, err
	}
	copied := *d // the editor may change it meanwhile
	switch p.Command {
	case checkCommand:
		s.beside(d.name, func(ctx context.Context) { s.check(ctx, &copied) })
	case fencesCommand:
		s.beside(d.name, func(ctx context.Context) { s.fences(ctx, &copied) })
	default:
		return nil, fmt.Errorf("there is no command %s", p.Command)
	}
	return nil, nil
}

// model is the one that a file is asked about.
func model(p *fencepost.Program) fencepost.Option { return fencepost.Under(fencepost.DefaultModel(p)) }

func limit(o *fencepost.Options) { o.Timeout = patience }

// check shows the verdict, and a violation where it is, with the run that leads there.
func (s *server) check(ctx context.Context, d *document) {
	p, err := d.read()
	var r *fencepost.Result
	if err == nil {
		r, err = fencepost.Check(ctx, p, model(p), limit)
	}
	switch {
	case ctx.Err() != nil:
		return // the text has changed
	case err != nil:
		s.publish(d, []diagnostic{d.diagnostic(err)})
		return
	}
	var line strings.Builder
	r.Print(&line, fencepost.Style{Quiet: true})
	summary := strings.TrimSpace(line.String())
	v := r.Violation()
	switch {
	case r.Unsafe() && v != nil:
		found := diagnostic{Range: d.at(v.Pos), Severity: severityError, Source: "fencepost", Message: summary + "\n" + v.Text}
		if v.Property != nil {
			found.Message = summary + "\n" + v.Property.String()
		}
		if run := r.Run(); run != nil {
			for i := range run.Steps {
				step := &run.Steps[i]
				at := location{d.uri, d.at(step.Pos)}
				if src := p.Source.File(step.Pos); step.Pos.File != "" && src != nil {
					at = elsewhere(src, step.Pos)
				}
				if step.Pos.IsValid() {
					found.Related = append(found.Related, related{at,
						fmt.Sprintf("%d. %s: %s", i+1, p.Threads[step.Thread].Name, step.Text)})
				}
			}
		}
		s.publish(d, []diagnostic{found})
		s.show(messageError, summary)
	case r.Safe():
		s.publish(d, nil)
		s.show(messageInfo, summary)
	default:
		s.publish(d, nil)
		s.show(messageWarning, summary+": "+r.Reason())
	}
}

// fences puts the fences into the text that it needs.
func (s *server) fences(ctx context.Context, d *document) {
	p, err := d.read()
	var r *fencepost.Repair
	if err == nil {
		r, err = fencepost.Fences(ctx, p, fencepost.FenceSearch{}, model(p), limit, d.unsaved())
	}
	if ctx.Err() != nil {
		return
	}
	if err != nil {
		s.show(messageError, err.Error())
		return
	}
	var line strings.Builder
	r.Print(&line, fencepost.Style{Quiet: true})
	summary, _, _ := strings.Cut(strings.TrimSpace(line.String()), "\n")
	if !r.Verified() || r.Text == "" || r.Text == d.text {
		s.show(messageInfo, summary)
		return
	}
	s.conn.notify("workspace/applyEdit", map[string]any{"label": "fences", "edit": map[string]any{
		"documentChanges": []any{map[string]any{
			"textDocument": map[string]any{"uri": d.uri, "version": d.version},
			"edits":        []any{edit{d.all(), r.Text}},
		}},
	}}, true)
	s.show(messageInfo, summary)
}

type edit struct {
	Range span   `json:"range"`
	Text  string `json:"newText"`
}

// format lays a text out.
func (s *server) format(p documentParams) (any, error) {
	d, err := s.document(p.Document.URI)
	if err != nil {
		return nil, err
	}
	was, is, err := fencepost.Layout(d.name, strings.NewReader(d.text), d.unsaved())
	if err != nil || was == is {
		return []edit{}, nil // what is wrong is underlined already
	}
	return []edit{{d.all(), is}}, nil
}
