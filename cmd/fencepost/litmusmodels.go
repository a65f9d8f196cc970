package main

import (
	"context"
	"errors"
	"io"

	"github.com/fencepost-verifier/fencepost"
)

// litmusModels runs the tests under several models, and tables what is observed.
func (a *app) litmusModels(ctx context.Context, j *litmusJob, opts fencepost.LitmusOptions, paths []string, got map[int]bool) error {
	table := &fencepost.LitmusTable{Models: j.models}
	err := table.Head(a.stdout, j.format())
	if err != nil {
		err = &outputError{err: err}
	} else {
		err = fencepost.LitmusModels(ctx, paths, j.models, opts, func(file string, ts []*fencepost.LitmusTest) error {
			return a.litmusRow(table, j, file, ts, got)
		})
	}
	var usage *fencepost.LitmusUsageError
	switch {
	case errors.As(err, &usage):
		return err
	case err != nil:
		got[a.fail("", fencepost.Text, err)] = true
		return nil
	case ctx.Err() != nil:
		got[exitUnknown] = true
	}
	if j.format() == fencepost.Text {
		if err := table.Foot(a.stdout); err != nil {
			got[a.fail("", fencepost.Text, &outputError{err: err})] = true
		}
	}
	return nil
}

// litmusRow writes the row of a test. What is wrong with the test itself is said once.
func (a *app) litmusRow(table *fencepost.LitmusTable, j *litmusJob, file string, ts []*fencepost.LitmusTest, got map[int]bool) error {
	said := map[string]bool{}
	var ls []*fencepost.LitmusResult
	for _, t := range ts {
		ls = append(ls, t.Litmus)
		switch {
		case t.Err != nil && !t.Foreign && !said[t.Err.Error()]:
			said[t.Err.Error()] = true
			err := t.Err
			if p := (*fencepost.LitmusPanic)(nil); errors.As(err, &p) {
				err = &panicError{p.Value, p.Stack}
			}
			got[a.fail(t.File, fencepost.Text, err)] = true
		case t.Err == nil && t.Incomplete != "":
			got[exitUnknown] = true
		}
	}
	if j.quiet && j.format() == fencepost.Text {
		return table.Row(io.Discard, file, ls, j.format())
	}
	if err := table.Row(a.stdout, file, ls, j.format()); err != nil {
		return &outputError{err: err}
	}
	return nil
}
