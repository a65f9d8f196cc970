package fencepost

import (
	"cmp"
	"context"
	"io"
	"slices"

	"github.com/fencepost-verifier/fencepost/crosscheck"
	"github.com/fencepost-verifier/fencepost/engine"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/report"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// A Comparison is the answer of [Compare]: a row for each model, question and engine, and the
// contradictions among them.
type Comparison struct{ *verdict.Comparison }

// A Row is the answer of one engine.
type Row = verdict.Row

// A Contradiction is between rows.
type Contradiction = verdict.Contradiction

// Compare answers every question about p by every engine, or by those that are named, under every
// built-in memory model, or under those that are. The timeout of the options is that of a row.
func Compare(ctx context.Context, p *Program, models []Model, engines []EngineName, opts ...Option) (*Comparison, error) {
	if p.NoHang {
		return nil, p.Diagnose(program.Position{}, "hanging is not compared: it is decided in one way", "leave out forbid hang")
	}
	o := collect(opts)
	picked, err := compared(engines)
	if err != nil {
		return nil, err
	}
	c, err := crosscheck.Run(ctx, p, crosscheck.Options{Models: models, Engines: picked, Timeout: o.Timeout, Options: o.Options})
	if err != nil {
		return nil, err
	}
	return &Comparison{c}, nil
}

// compared is the engines of those names, in their order among all; members of families that are
// not listed, such as another coherence:K, come after them.
func compared(names []EngineName) (some []engine.Engine, err error) {
	if len(names) == 0 {
		return nil, nil
	}
	all := crosscheck.Engines()
	for _, e := range all {
		if slices.Contains(names, e.Name) {
			some = append(some, e)
		}
	}
	for _, name := range names {
		if !slices.ContainsFunc(all, func(e engine.Engine) bool { return e.Name == name }) {
			e, err := engine.Lookup(name)
			if err != nil {
				return nil, err
			}
			some = append(some, *e)
		}
	}
	return some, nil
}

// ComparedEngines lists the engines that [Compare] asks.
func ComparedEngines() (names []EngineName) {
	for _, e := range crosscheck.Engines() {
		names = append(names, e.Name)
	}
	return names
}

// PrintCompareHead writes what comes before the first of several comparisons.
func PrintCompareHead(w io.Writer, f Format) error { return report.CompareHead(w, f) }

// Print writes the comparison in a style. command is the command line that runs the engine of a
// row by itself; it may be nil.
func (c *Comparison) Print(w io.Writer, s Style, command func(*Row) string) error {
	if command == nil {
		command = func(*Row) string { return "" }
	}
	return report.Compare(w, c.Comparison, s.file(c.Program), cmp.Or(s.Format, Text), command, s.options())
}
