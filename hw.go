package fencepost

import (
	"context"
	"errors"
	"io"

	"github.com/fencepost-verifier/fencepost/hw"
	"github.com/fencepost-verifier/fencepost/lang"
	"github.com/fencepost-verifier/fencepost/lang/litmus"
	"github.com/fencepost-verifier/fencepost/report"
	"github.com/fencepost-verifier/fencepost/suite"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// HardwareOptions say how litmus tests are run on the processor at hand.
type HardwareOptions = hw.Options

// A HardwareRefusal says why a test cannot be run here.
type HardwareRefusal = hw.Refused

// A HardwareTest is what was seen of a test, or why it was not run.
type HardwareTest struct {
	*verdict.Hardware
	Rel string // how the file was named, or the path from the directory that was
	Err error
}

// Hardware runs the litmus tests that paths name, files and directories, on the processor at hand,
// one after the other, and yields what was seen. An error of yield ends it.
func Hardware(ctx context.Context, paths []string, opts HardwareOptions, yield func(*HardwareTest) error) error {
	n := 0
	for f := range suite.Files(paths) {
		if ctx.Err() != nil {
			return nil
		}
		n++
		t := &HardwareTest{Rel: f.Rel}
		t.Hardware, t.Err = onHardware(ctx, f.Path, opts)
		if err := yield(t); err != nil {
			return err
		}
	}
	if n == 0 {
		return noTests(paths)
	}
	return nil
}

func onHardware(ctx context.Context, path string, opts HardwareOptions) (*verdict.Hardware, error) {
	src, err := lang.ReadFile(path)
	if err != nil {
		return nil, err
	}
	t, err := litmus.ParseTest(src)
	if err != nil {
		return nil, err
	}
	return hw.Run(ctx, t, opts)
}

// HardwareChild is what the process does that [HardwareOptions] names: it runs a test.
func HardwareChild(in io.Reader, out io.Writer) error { return hw.Child(in, out) }

// Print writes what was seen of a test in a style.
func (t *HardwareTest) Print(w io.Writer, s Style) error {
	if s.Format == JSON {
		return report.HardwareJSON(w, t.Rel, t.Hardware, t.Err)
	}
	return report.Hardware(w, t.Rel, t.Hardware, t.Err)
}

// A HardwareTable is a table of tests, a row for each.
type HardwareTable = report.HardwareTable

// Add counts a test, and writes its row.
func (t *HardwareTest) Add(w io.Writer, to *HardwareTable) error {
	return to.Row(w, t.Rel, t.Hardware, t.Err)
}

// Refused is whether the test is not of the kind that can be run.
func (t *HardwareTest) Refused() bool {
	var no *HardwareRefusal
	var diag *Diagnostic
	return errors.As(t.Err, &no) || errors.As(t.Err, &diag)
}
