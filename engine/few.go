package engine

import (
	"context"
	"slices"

	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/replay"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// Most mistakes of programs in which many threads do the same need few of them (Lu et al., ASPLOS 2008), and a search among all is hopeless soon.

// withFew is a member of the portfolio that lets an engine look for violations in which few of the threads that do the same are there: at most 2, then 3,
// and so on. Runs of those are runs of the whole program. It proves nothing. It is no engine that can be asked for.
func withFew(e Engine) Engine {
	few := Engine{Name: e.Name + " of few threads", Models: e.Models, Wide: e.Wide, Weight: e.Weight}
	few.Check = func(ctx context.Context, p *program.Program, opts Options) (*verdict.Result, error) {
		opts.Engine = e.Name
		most := crowd(p)
		none := verdict.Unknown(p, opts.Model, "no violation of few threads was found")
		for n := 2; n < most; n++ {
			r, err := e.Check(ctx, fewer(p, n), opts)
			if err != nil {
				return nil, err
			}
			switch {
			case r.Unsafe():
				found, err := replay.Convict(p, opts.Model, replay.Schedule(r.Run()))
				if err == nil {
					found.Effort = r.Effort
					found.Engine = string(few.Name)
				}
				return found, err
			case !r.Safe(): // more threads are no easier
				none = verdict.Unknown(p, opts.Model, r.Reason())
				none.Effort = r.Effort
				return none, nil
			}
		}
		return none, nil
	}
	return few
}

// alike are the threads of p that somebody has to start, of each place in the text those that begin there.
func alike(p *program.Program) map[program.Position][]int {
	groups := map[program.Position][]int{}
	for ti, t := range p.Threads {
		s := t.States[t.Initial]
		if s.Kind == program.Unstarted && s.Pos.IsValid() && t.Initial == 0 && t.Edges[0].From == 0 {
			groups[s.Pos] = append(groups[s.Pos], ti)
		}
	}
	return groups
}

// crowd is how many threads of p begin at one place, at most.
func crowd(p *program.Program) (most int) {
	for _, group := range alike(p) {
		most = max(most, len(group))
	}
	return most
}

// fewer is p where whoever would start more than n threads of one place gives up instead. Threads and edges have the numbers that they have in p,
// and each run is a run of p that has not come to its end, if it is one in which somebody has given up.
func fewer(p *program.Program, n int) *program.Program {
	out := map[int]bool{} // threads that nobody starts
	starts := map[program.Expr]bool{}
	for _, group := range alike(p) {
		for _, ti := range group[min(n, len(group)):] {
			out[ti] = true
			starts[program.Const(p.Threads[ti].StartCell(0))] = true
		}
	}
	q := *p
	q.Threads = slices.Clone(p.Threads)
	for ti, t := range p.Threads {
		u := *t
		if out[ti] { // it stands there for its number, and properties may speak of its states, but what it would do is no burden
			e := t.Edges[0]
			e.To = program.StateID(len(t.States))
			u.States = append(slices.Clone(t.States), program.State{Name: "left out", Kind: program.GivenUp})
			u.Edges = []program.Edge{e}
		} else {
			u.States, u.Edges = slices.Clone(t.States), slices.Clone(t.Edges)
			end := program.StateID(-1)
			for ei := range u.Edges {
				e := &u.Edges[ei]
				beyond := false
				e.Cmd.Accesses(func(c *program.Command) { beyond = beyond || c.Op == program.Store && starts[c.Addr] })
				if !beyond {
					continue
				}
				if end < 0 {
					end = program.StateID(len(u.States))
					u.States = append(u.States, program.State{Name: "more threads", Kind: program.GivenUp})
				}
				// Still it does what it does, so that a run is one of p to its end.
				e.To = end
			}
		}
		q.Threads[ti] = &u
	}
	return &q
}
