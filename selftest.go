package fencepost

import (
	"context"
	"io"

	"github.com/fencepost-verifier/fencepost/report"
	"github.com/fencepost-verifier/fencepost/selftest"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// SelfTestOptions say how much to test.
type SelfTestOptions = selftest.Options

// A SourceFile is a program of a test of Fencepost by itself: its name and text.
type SourceFile = verdict.File

// A SelfTestReport is what came of a test of Fencepost by itself.
type SelfTestReport struct{ *verdict.SelfTest }

// SelfTest has every engine decide random programs in every language under every model, until
// ctx ends or two answers cannot both be right.
func SelfTest(ctx context.Context, opts SelfTestOptions) *SelfTestReport {
	return &SelfTestReport{selftest.Run(ctx, opts)}
}

// Print writes the report in a style: [Text] or [JSON].
func (r *SelfTestReport) Print(w io.Writer, s Style) error {
	if s.Format == JSON {
		return report.SelfTestJSON(w, r.SelfTest)
	}
	return report.SelfTest(w, r.SelfTest)
}

func (r *SelfTestReport) String() string { return text(r) }
