package fencepost

import (
	"cmp"
	"context"
	"io"
	"iter"
	"time"

	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/report"
	"github.com/fencepost-verifier/fencepost/suite"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// LitmusExtension is the extension of the files that are litmus tests.
const LitmusExtension = suite.Extension

// LitmusOptions say how litmus tests are run, and what they are compared with.
type LitmusOptions = suite.Options

// Expectations are what litmus tests should come to.
type Expectations = suite.Expected

// A LitmusUsageError says that options do not go together.
type LitmusUsageError = suite.UsageError

// A LitmusPanic is a panic inside a test.
type LitmusPanic = suite.Panic

// ReadExpectations reads a list of what tests should come to: a line with a JSON object for every
// test.
func ReadExpectations(path string) (*Expectations, error) { return suite.ReadExpected(path) }

// A LitmusTest is a test that was run.
type LitmusTest struct {
	*verdict.Litmus
	// Rel is the path from the directory that was named, or how the file was named.
	Rel string
	// Compared is set where it was compared with what was expected.
	Compared bool
}

// A LitmusSummary counts tests.
type LitmusSummary struct {
	report.LitmusSummary
	Elapsed time.Duration
}

// Litmus runs the tests that paths name, files and directories, side by side, and yields them in
// the order of the files. An error of yield ends it; where there is no test at
// all, that is an error.
func Litmus(ctx context.Context, paths []string, opts LitmusOptions, yield func(*LitmusTest) error) (*LitmusSummary, error) {
	sum, err := litmusFiles(ctx, suite.Files(paths), opts, yield)
	if err == nil && sum.Tests == 0 && ctx.Err() == nil && len(paths) > 0 {
		err = noTests(paths)
	}
	return sum, err
}

// LitmusSources is [Litmus] for texts, each with the name of its file.
func LitmusSources(ctx context.Context, texts []*Source, opts LitmusOptions, yield func(*LitmusTest) error) (*LitmusSummary, error) {
	return litmusFiles(ctx, func(yield func(suite.File) bool) {
		for _, t := range texts {
			if !yield(suite.File{Path: t.Name, Rel: t.Name, Source: t}) {
				return
			}
		}
	}, opts, yield)
}

func litmusFiles(ctx context.Context, files iter.Seq[suite.File], opts LitmusOptions, yield func(*LitmusTest) error) (*LitmusSummary, error) {
	start := time.Now()
	sum := &LitmusSummary{}
	sum.Compared = opts.Expected != nil
	err := suite.Run(ctx, files, opts, func(f suite.File, l *verdict.Litmus) error {
		sum.Add(l)
		return yield(&LitmusTest{l, f.Rel, opts.Expected != nil})
	})
	sum.Elapsed = time.Since(start)
	return sum, err
}

// A LitmusTable is the results of tests under several models, a row for each test.
type LitmusTable = report.LitmusTable

// A LitmusResult is what a test came to under one model.
type LitmusResult = verdict.Litmus

// LitmusModels is [Litmus] under each of several models. What yield is told has their order.
func LitmusModels(ctx context.Context, paths []string, models []Model, opts LitmusOptions, yield func(file string, ts []*LitmusTest) error) error {
	n := 0
	err := suite.RunModels(ctx, suite.Files(paths), opts, models, func(f suite.File, ls []*verdict.Litmus) error {
		n++
		var ts []*LitmusTest
		for _, l := range ls {
			ts = append(ts, &LitmusTest{Litmus: l, Rel: f.Rel})
		}
		return yield(f.Path, ts)
	})
	if err == nil && n == 0 && ctx.Err() == nil && len(paths) > 0 {
		err = noTests(paths)
	}
	return err
}

func noTests(paths []string) error {
	return &Diagnostic{Source: &program.Source{Name: paths[0]}, Msg: "there are no tests here", Hint: "a test is a file *" + LitmusExtension}
}

// PrintLitmusHead writes what comes before the first test.
func PrintLitmusHead(w io.Writer, f Format) error { return report.LitmusHead(w, f) }

// Print writes the test in a style; as text, of one that was compared, the differences only.
func (t *LitmusTest) Print(w io.Writer, s Style) error {
	switch {
	case cmp.Or(s.Format, Text) != Text:
		return report.Litmus(w, t.Litmus, s.Format)
	case t.Compared:
		return report.LitmusDifferences(w, t.Litmus)
	case s.Quiet:
		return nil
	}
	return report.Litmus(w, t.Litmus, Text)
}

// Drawing is the execution that was asked for; nil where there is none.
func (t *LitmusTest) Drawing() *Drawing { return report.Witnessed(t.Litmus) }

// Print writes the counts on one line.
func (s *LitmusSummary) Print(w io.Writer, _ Style) error { return s.Write(w, s.Elapsed) }
