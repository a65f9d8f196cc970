package main

import (
	"bytes"
	"errors"
	"slices"

	"github.com/fencepost-verifier/fencepost/lang/asm"
	"github.com/fencepost-verifier/fencepost/program"
)

// automata is p in Trencher's dialect, which has no goals, no remainders, no
// assertions and no initial values. For robustness goals do not matter, and what
// would be a mistake in the program can as well block it.
func automata(p *program.Program) ([]byte, error) {
	var err error
	adapt := func(c *program.Command) {
		if c.Op == program.Assert && c.Kind == program.Fault {
			*c = program.Command{Op: program.Check, Value: c.Value, Pos: c.Pos}
		}
		for _, e := range []program.Expr{c.Addr, c.Value} {
			program.Walk(e, func(e program.Expr) {
				if b, ok := e.(program.Binary); ok && b.Op == program.Rem {
					err = errors.New("no automata for Trencher, which has no %")
				}
			})
		}
	}
	q := *p
	q.Properties, q.Threads = nil, nil
	for _, t := range p.Threads {
		t := *t
		t.Edges = slices.Clone(t.Edges)
		for i := range t.Edges {
			c := &t.Edges[i].Cmd
			c.Body = slices.Clone(c.Body)
			adapt(c)
			for k := range c.Body {
				adapt(&c.Body[k])
			}
		}
		q.Threads = append(q.Threads, &t)
	}
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = asm.Write(&b, &q)
	return b.Bytes(), err
}
