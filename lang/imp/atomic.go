package imp

import (
	"slices"

	"github.com/fencepost-verifier/fencepost/program"
)

// Limits on the expansion of an atomic block.
const (
	maxPaths    = 1024
	maxCommands = 1 << 16 // of all paths together
)

// A path is one way through an atomic block.
type path []program.Command

// atomic is one edge for each path through the block.
func (l *lowering) atomic(s *stmt, do *atomicStmt, next target) target {
	paths := l.paths([]path{nil}, do.body, s.at)
	if len(paths) == 0 {
		return l.steps([]step{{{Op: program.Check, Value: program.Const(0), Pos: s.at}}}, next, s.at)
	}
	var ways step
	for _, p := range paths {
		if len(p) == 0 {
			p = path{program.Skip()}
		}
		ways = append(ways, program.Command{Op: program.Atomic, Body: p, Pos: s.at})
	}
	return l.steps([]step{ways}, next, s.at)
}

// fork is a copy of the paths that can be extended by itself.
func fork(ps []path) []path {
	copies := make([]path, len(ps))
	for i, p := range ps {
		copies[i] = slices.Clip(p)
	}
	return copies
}

// paths extends each of the paths by the statements. It may use up to.
func (l *lowering) paths(to []path, ss []*stmt, block program.Position) []path {
	for _, s := range ss {
		if len(to) == 0 {
			return nil
		}
		switch do := s.do.(type) {
		case *ifStmt:
			var done []path
			for _, a := range do.arms {
				g := l.guard(a.cond)
				to = l.extend(to, g.code, block)
				if !isFalse(g.cond) {
					done = append(done, l.paths(l.checked(fork(to), g.cond, a.cond, block), a.body, block)...)
				}
				if to = l.checked(to, negation(g.cond), a.cond, block); len(to) == 0 {
					break
				}
			}
			to = append(done, l.paths(to, do.els, block)...)
		case *chooseStmt:
			var done []path
			for _, b := range do.branches {
				done = append(done, l.paths(fork(to), b, block)...)
			}
			to = done
		default:
			if _, ok := do.(*skipStmt); !ok {
				to = l.extend(to, l.straight(s), block)
			}
		}
		l.limitPaths(to, block)
	}
	return to
}

// checked is the paths that go on where cond holds.
func (l *lowering) checked(to []path, cond program.Expr, e expr, block program.Position) []path {
	if isTrue(cond) {
		return to
	}
	return l.extend(to, []step{{{Op: program.Check, Value: cond, Pos: e.pos()}}}, block)
}

// extend is every path followed by every way through the code. It may use up to.
func (l *lowering) extend(to []path, code []step, block program.Position) []path {
	for _, st := range code {
		from := to
		to = nil
		for i, c := range st {
			tail := path{c}
			if c.Op == program.Atomic {
				tail = c.Body
			}
			if isBlocked(&c) {
				continue
			}
			ps := from
			if i < len(st)-1 {
				ps = fork(from)
			}
			for i := range ps {
				ps[i] = append(ps[i], tail...)
			}
			to = append(to, ps...)
		}
		l.limitPaths(to, block)
	}
	return to
}

func (l *lowering) limitPaths(ps []path, block program.Position) {
	commands := 0
	for _, p := range ps {
		commands += len(p)
	}
	if len(ps) > maxPaths || commands > maxCommands {
		l.fail(block, "", "more than %d paths or %d commands in an atomic block", maxPaths, maxCommands)
	}
}
