package certify

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/fencepost-verifier/fencepost/program"
)

// This file makes certificates, or what they lack. Nobody has to trust it: what it makes is checked, and [Check] does not call it.

// Search writes the certificate of a search, which it makes: with the buffers of that name, which
// may be "robust" instead, in so many bytes for the states; 0: no bound.
func Search(ctx context.Context, w io.Writer, p *program.Program, model, buffer, shows string, bytes int64) (err error) {
	defer recovered(&err)
	p, _ = p.Joined()
	r := &reader{ctx: ctx, p: p}
	if err := r.possible(model); err != nil {
		return err
	}
	_, n := r.search(model, buffer, shows == Safe, -1, bytes)
	_, err = fmt.Fprintf(w, "%s\nprogram %s\nmodel %s\nbuffer %s\n%s %d\n", Magic, program.Fingerprint(p), model, buffer, shows, n)
	return err
}

// A Refuter derives a clause from others, by clauses each of which follows from them and
// those before it by unit propagation; the last one is the clause or part of it. Literals are
// numbers from 1 and their negations.
type Refuter func(ctx context.Context, clauses [][]int, clause []int) ([][]int, error)

// Complete is the lines that a certificate lacks that is an invariant, to be written before its
// last one: lemmas, without which clauses do not follow by unit propagation alone.
func Complete(ctx context.Context, r io.Reader, p *program.Program, refute Refuter) (lines []string, err error) {
	var inv *invariant
	var open [][]int32 // what does not follow by unit propagation
	_, err = check(ctx, r, p, func(c *invariant, goal []int32) { inv, open = c, append(open, goal) })
	if err != nil || inv == nil {
		return nil, err
	}
	inv.logic.undo(inv.base)
	var all [][]int
	for _, clause := range inv.clauses {
		all = append(all, dimacs(clause))
	}
	for _, goal := range open {
		if inv.logic.follows(goal) {
			continue
		}
		lemmas, err := refute(ctx, all, dimacs(goal))
		if err != nil {
			return nil, err
		}
		for _, ns := range lemmas {
			var lits []int32
			for _, n := range ns {
				lits = append(lits, int32(max(n, -n)-1)<<1|int32(program.Bool(n < 0)))
			}
			if !inv.logic.follows(lits) {
				return nil, errors.New("a lemma does not follow")
			}
			inv.logic.add(lits)
			lines = append(lines, "lemma "+inv.names(lits))
		}
	}
	return lines, nil
}

// dimacs is a clause as a [Refuter] has it.
func dimacs(lits []int32) []int {
	ns := make([]int, len(lits))
	for i, l := range lits {
		ns[i] = (int(l>>1) + 1) * (1 - 2*int(l&1))
	}
	return ns
}
