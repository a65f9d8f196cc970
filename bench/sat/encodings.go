package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"

	"github.com/fencepost-verifier/fencepost/bench/internal/measure"
	"github.com/fencepost-verifier/fencepost/encode"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/solver"
)

var encodings = flag.Bool("encodings", false, "compare the direct encoding of tso with that of its text, in place of solvers")

// An encoding is what one of a query came to.
type encoding struct {
	seconds   float64
	clauses   int
	conflicts int64
}

// compareEncodings measures the queries twice: in the direct encoding, and in that which any model
// has, from the text of tso. Both ask our own solver the same questions, with orders in its theory as far as they have
// any.
func compareEncodings(rows []query) error {
	text, err := memory.Load(memory.TSO)
	if err != nil {
		return err
	}
	measure.Head(os.Stdout, "query", "direct", "clauses", "conflicts", "text: time", "clauses", "conflicts")
	var times, clauses, conflicts measure.Mean
	for _, q := range rows {
		p, err := q.load()
		if err != nil {
			return err
		}
		job := func(d *memory.Definition) func() (encoding, error) {
			return func() (e encoding, err error) {
				e.seconds, err = timed("cdcl", func(ctx context.Context, s solver.Solver) error {
					defer func() { st := s.Stats(); e.clauses, e.conflicts = st.Clauses, st.Conflicts }()
					return unroll(ctx, p, q, s, encode.Options{Model: memory.TSO, Definition: d})
				})
				return e, err
			}
		}
		samples, errs := measure.Interleave(*runs, []func() (encoding, error){job(nil), job(text)})
		cells := []string{q.String()}
		for i := range samples {
			if i == 0 && len(samples[i]) == 0 && !errors.Is(errs[i], context.DeadlineExceeded) {
				return errs[i]
			}
			if len(samples[i]) == 0 {
				why := "-"
				if !errors.Is(errs[i], context.DeadlineExceeded) {
					why = "not for it"
				}
				cells = append(cells, why, "", "")
				continue
			}
			e := samples[i][0]
			for _, s := range samples[i] {
				e.seconds = min(e.seconds, s.seconds)
			}
			if i == 0 || len(samples[0]) == 0 {
				cells = append(cells, fmt.Sprintf("%.3f", e.seconds), fmt.Sprint(e.clauses), fmt.Sprint(e.conflicts))
				continue
			}
			d := samples[0][0]
			for _, s := range samples[0] {
				d.seconds = min(d.seconds, s.seconds)
			}
			ratio := func(m *measure.Mean, x, y float64) {
				r := max(x, 1) / max(y, 1)
				m.Add(r)
				cells = append(cells, fmt.Sprintf("%.2f", r))
			}
			ratio(&times, 1e4*e.seconds, 1e4*d.seconds)
			ratio(&clauses, float64(e.clauses), float64(d.clauses))
			ratio(&conflicts, float64(e.conflicts), float64(d.conflicts))
		}
		measure.Row(os.Stdout, cells...)
	}
	fmt.Printf("\nGeometric mean of the text to the direct encoding: time %s, clauses %s, conflicts %s\n", &times, &clauses, &conflicts)
	return nil
}
