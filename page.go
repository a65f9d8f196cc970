package fencepost

import (
	"io"

	"github.com/fencepost-verifier/fencepost/replay"
	"github.com/fencepost-verifier/fencepost/report"
	"github.com/fencepost-verifier/fencepost/report/page"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// A Document is a result with its evidence, to look at. It is JSON for a script, or a page.
type Document = report.Document

// WritePage writes documents as one page of HTML, which needs nothing else.
func WritePage(w io.Writer, docs []*Document) error { return page.Write(w, docs) }

// Document is the result to look at.
func (r *Result) Document(s Style) *Document {
	tell(r.Run()) // which a replayed run does not have yet
	return report.CheckDocument(r.Result, s.file(r.Program()), s.Full)
}

// Document is the explanation to look at.
func (e *Explanation) Document(s Style) *Document {
	return report.ExplanationDocument(e.Explanation, s.file(e.Program), s.Full)
}

// Document is the answer to look at.
func (r *Robustness) Document(s Style) *Document {
	if e := r.Evidence(); e != nil {
		tell(e.Run)
	}
	return report.RobustDocument(r.RobustResult, s.file(r.Program()), s.Full)
}

// Document is the exploration to look at.
func (x *Exploration) Document(s Style) *Document {
	tell(x.Run())
	return report.ExplorationDocument(x.Exploration, s.file(x.Program()), s.Full)
}

// Document is the comparison to look at.
func (c *Comparison) Document(s Style) *Document {
	return report.CompareDocument(c.Comparison, s.file(c.Program))
}

// Document is the test to look at, with an execution where one was asked for.
func (t *LitmusTest) Document() *Document { return report.LitmusDocument(t.Litmus) }

// Document is the answer to look at, with the runs that its fences prevent.
func (r *Repair) Document(s Style) *Document {
	if r.Wrong != nil {
		tell(r.Wrong.Run())
	}
	for i := range r.Sets {
		for j := range r.Sets[i].Fences {
			switch e := r.Sets[i].Fences[j].Without; {
			case e == nil:
			case e.Robust != nil && e.Robust.Evidence() != nil:
				tell(e.Robust.Evidence().Run)
			case e.Check != nil:
				tell(e.Check.Run())
			}
		}
	}
	return report.FenceDocument(r.FenceResult, s.file(r.Program), s.Full)
}

// tell gives a run its history. Where it has none, there is that much less to look at.
func tell(run *verdict.Run) {
	if run != nil && run.History == nil {
		run.History, _ = replay.History(run)
	}
}
