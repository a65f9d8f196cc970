package fencepost

import (
	"io"

	"github.com/fencepost-verifier/fencepost/report"
)

// A BatchJob is a question about a file that was one of many, with its answer.
type BatchJob struct{ report.Job }

// Print writes what came of the job on a line, in a style: [Text] or [JSON].
func (j *BatchJob) Print(w io.Writer, s Style) error {
	return report.WriteJob(w, &j.Job, s.options(), s.Format)
}

// A BatchSummary counts what came of the jobs of a batch.
type BatchSummary struct{ report.Batch }

// Print writes the counts in a style: [Text] or [JSON].
func (b *BatchSummary) Print(w io.Writer, s Style) error {
	return report.WriteBatch(w, &b.Batch, s.options(), s.Format)
}

// BatchBrief is what is in the answer of a job that a batch needs to count it.
func BatchBrief(result []byte) []byte { return report.JobBrief(result) }
