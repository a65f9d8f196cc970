// Package playground is the checker behind a page: requests and answers as JSON, which the page
// sends to a worker that runs it as WebAssembly ([Answer], command playground), and the files of
// the site ([Site]). Nothing here knows of a browser, so that tests can do without one.
package playground

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/fencepost-verifier/fencepost"
)

// A Request is a question about a program.
type Request struct {
	Do       string  `json:"do"` // diagnose, check, fences, explain, robust
	File     string  `json:"file"`
	Text     string  `json:"text"`
	Model    string  `json:"model"`  // "": that of the program
	Engine   string  `json:"engine"` // "": auto
	Property string  `json:"property"`
	Seconds  float64 `json:"seconds"` // limit; 0: a minute
	Full     bool    `json:"full"`
}

// A Response is the answer: one of its fields is there, and none of a text without problems.
type Response struct {
	Document *fencepost.Document `json:"document,omitempty"`
	Problem  *Problem            `json:"problem,omitempty"`
}

// A Problem is what is wrong with a text, or with a question.
type Problem struct {
	Line    int    `json:"line,omitempty"` // from 1; 0: no place
	Column  int    `json:"column,omitempty"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
	Defect  bool   `json:"defect,omitempty"` // of Fencepost
}

// The limits of a question.
const (
	maxText    = 1 << 20
	maxSeconds = 3600
	memory     = 1 << 30 // of engines; a page may have 4 GiB
)

// Answer answers a request. progress is told where a long work is; it may be nil. There is an
// answer to everything: what goes wrong is a [Problem].
func Answer(ctx context.Context, request []byte, progress func(string)) (response []byte) {
	var r Response
	defer func() {
		if v := recover(); v != nil {
			r = Response{Problem: &Problem{Message: fmt.Sprintf("internal error: %v; this is a defect in Fencepost", v), Defect: true}}
		}
		response, _ = json.Marshal(r)
	}()
	var q Request
	if err := json.Unmarshal(request, &q); err != nil {
		r.Problem = &Problem{Message: "this is no request: " + err.Error()}
		return nil
	}
	if err := q.answer(ctx, &r, progress); err != nil {
		r = Response{Problem: problem(err)}
	}
	return nil
}

// problem is an error as the page shows it.
func problem(err error) *Problem {
	var d *fencepost.Diagnostic
	if errors.As(err, &d) {
		p := &Problem{Message: d.Msg, Hint: d.Hint}
		if d.Pos.File == "" {
			p.Line, p.Column = d.Pos.Line, d.Pos.Col
		}
		return p
	}
	var said *refusal
	return &Problem{Message: err.Error(), Defect: !errors.As(err, &said)}
}

// A refusal is about the question.
type refusal struct{ text string }

func (r *refusal) Error() string { return r.text }

func refuse(format string, args ...any) error { return &refusal{fmt.Sprintf(format, args...)} }

func (q *Request) answer(ctx context.Context, r *Response, progress func(string)) error {
	if len(q.Text) > maxText {
		return refuse("the text has %d bytes; more than %d are too many here: use the command", len(q.Text), maxText)
	}
	if !(q.Seconds >= 0 && q.Seconds <= maxSeconds) {
		return refuse("a limit of %v seconds is none", q.Seconds)
	}
	opts, err := q.options(progress)
	if err != nil {
		return err
	}
	p, err := fencepost.Read(path.Base(cmp.Or(q.File, "program.imp")), strings.NewReader(q.Text), opts)
	if err != nil {
		return err
	}
	r.Document, err = q.ask(ctx, p, opts)
	return err
}

// ask asks the question about the program; diagnose has its answer already.
func (q *Request) ask(ctx context.Context, p *fencepost.Program, opts fencepost.Option) (*fencepost.Document, error) {
	style := fencepost.Style{Full: q.Full}
	switch q.Do {
	case "diagnose":
		return nil, nil
	case "check":
		return document(style)(fencepost.Check(ctx, p, opts))
	case "explain":
		return document(style)(fencepost.Explain(ctx, p, opts, func(o *fencepost.Options) { o.Unroll = 2 }))
	case "robust":
		return document(style)(fencepost.Robust(ctx, p, opts))
	case "fences":
		return document(style)(fencepost.Fences(ctx, p, fencepost.FenceSearch{}, opts))
	}
	return nil, refuse("there is no question %q", q.Do)
}

// documents is what has one.
type documents interface {
	Document(fencepost.Style) *fencepost.Document
}

func document(s fencepost.Style) func(documents, error) (*fencepost.Document, error) {
	return func(r documents, err error) (*fencepost.Document, error) {
		if err != nil {
			return nil, err
		}
		return r.Document(s), nil
	}
}

// options are what the question says. There are no files here: models are those that are built in.
func (q *Request) options(progress func(string)) (fencepost.Option, error) {
	if q.Model != "" && !slices.Contains(fencepost.Models(), fencepost.Model(q.Model)) {
		return nil, refuse("there is no model %q", q.Model)
	}
	engine := fencepost.EngineName(cmp.Or(q.Engine, string(fencepost.Auto)))
	if _, err := fencepost.LookupEngine(engine); err != nil {
		return nil, refuse("%v", err)
	}
	if !slices.ContainsFunc(properties, func(c Choice) bool { return c.Name == q.Property }) {
		return nil, refuse("there is no property %q", q.Property)
	}
	return func(o *fencepost.Options) {
		o.Model, o.Engine, o.Property = fencepost.Model(q.Model), engine, fencepost.Property(q.Property)
		o.Timeout = time.Duration(cmp.Or(q.Seconds, 60) * float64(time.Second))
		o.Options.MemoryLimit = memory
		o.Progress = progress
		o.Full = q.Full
	}, nil
}
