package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"

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

// own is TSO as a user may write it, in the manner of herd's models. It is of the same strength where programs have no atomic blocks
// that are more than read-modify-writes.
const own = `acyclic po-loc | rf | co | fr
empty rmw & (fre; coe)
let implied = po & W*R & (M*X | X*M)
let ghb = po; [MFENCE]; po | implied | po & (W*W | R*M) | rfe | fr | co
acyclic ghb`

// compareEncodings measures the queries three times: in the direct encoding, in that which any model
// has, from the text of tso, and under a model of the user's own that is as strong as tso, which has to be
// found out. All ask our own solver the same questions, with orders in its theory as far as they have any.
func compareEncodings(rows []query) error {
	text, err := memory.Load(memory.TSO)
	if err != nil {
		return err
	}
	measure.Head(os.Stdout, "query", "direct", "clauses", "conflicts", "text: time", "clauses", "conflicts", "own model: time", "clauses", "conflicts")
	var means [2][3]measure.Mean
	for _, q := range rows {
		p, err := q.load()
		if err != nil {
			return err
		}
		job := func(options func(ctx context.Context) (encode.Options, error)) func() (encoding, error) {
			return func() (e encoding, err error) {
				e.seconds, err = timed("cdcl", func(ctx context.Context, s solver.Solver) error {
					defer func() { st := s.Stats(); e.clauses, e.conflicts = st.Clauses, st.Conflicts }()
					opts, err := options(ctx)
					if err != nil {
						return err
					}
					return unroll(ctx, p, q, s, opts)
				})
				return e, err
			}
		}
		samples, errs := measure.Interleave(*runs, []func() (encoding, error){
			job(func(context.Context) (encode.Options, error) { return encode.Options{Model: memory.TSO}, nil }),
			job(func(context.Context) (encode.Options, error) {
				return encode.Options{Model: memory.TSO, Definition: text}, nil
			}),
			job(func(ctx context.Context) (encode.Options, error) {
				d, err := memory.Define("own.cat", own, nil) // anew, so that nothing is known of it
				if err != nil {
					return encode.Options{}, err
				}
				m := encode.Shortcut(ctx, p, d)
				if m == "" {
					return encode.Options{}, errors.New("the model is not seen to be as strong as tso")
				}
				return encode.Options{Model: m, Graphs: true}, nil
			}),
		})
		if len(samples[0]) == 0 && !errors.Is(errs[0], context.DeadlineExceeded) {
			return errs[0]
		}
		cells := []string{q.String()}
		for i := range samples {
			if len(samples[i]) == 0 {
				why := "-"
				if !errors.Is(errs[i], context.DeadlineExceeded) {
					why = "not for it"
				}
				cells = append(cells, why, "", "")
				continue
			}
			e := least(samples[i])
			if i == 0 || len(samples[0]) == 0 {
				cells = append(cells, fmt.Sprintf("%.3f", e.seconds), fmt.Sprint(e.clauses), fmt.Sprint(e.conflicts))
				continue
			}
			d := least(samples[0])
			for k, r := range []float64{
				max(1e4*e.seconds, 1) / max(1e4*d.seconds, 1), max(float64(e.clauses), 1) / max(float64(d.clauses), 1),
				max(float64(e.conflicts), 1) / max(float64(d.conflicts), 1),
			} {
				means[i-1][k].Add(r)
				cells = append(cells, fmt.Sprintf("%.2f", r))
			}
		}
		measure.Row(os.Stdout, cells...)
	}
	for i, name := range []string{"the text", "an own model"} {
		m := &means[i]
		fmt.Printf("\nGeometric mean of %s to the direct encoding: time %s, clauses %s, conflicts %s\n", name, &m[0], &m[1], &m[2])
	}
	return nil
}

// least is the sample that took the least time.
func least(samples []encoding) encoding {
	return slices.MinFunc(samples, func(a, b encoding) int { return cmp.Compare(a.seconds, b.seconds) })
}
