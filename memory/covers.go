package memory

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/fencepost-verifier/fencepost/program"
)

// Covers is nil where the model has words for all that p does, else a
// [program.Diagnostic]. What an atomic block or a locked section does happens at once
// only if the axioms say so, of the relation block: models written for herd know
// read-modify-writes and no more, and under them a block of several accesses would fall
// apart. Nor has it any where p is of another architecture.
func (d *Definition) Covers(p *program.Program) error {
	if p.Arch != d.Arch {
		return p.Diagnose(program.Position{}, fmt.Sprintf("the model %s was read with the names of %s, and the program is of %s", d.Model, d.Arch, p.Arch), "")
	}
	c := Block(p)
	if c == nil || d.Cat.Unfolds() == nil && d.Cat.Mentions("block") {
		return nil
	}
	what := "an atomic block of several accesses"
	if c.Op == program.Lock {
		what = "a locked section"
	}
	if p.Arch == program.C11 && c.Op == program.Atomic {
		object := "of which parts are accessed, too"
		if width(p, c) > 8 {
			object = "of more than 8 bytes that is not one cell (of at most 16, with small numbers, and stored to as a whole)"
		}
		return p.Diagnose(c.Pos, fmt.Sprintf("the model %s does not say what an atomic access is to an object %s", d.Model, object), "models that do are sc, tso and pso")
	}
	return p.Diagnose(c.Pos, "the model "+string(d.Model)+" does not say what "+what+" is: none of its axioms mentions block",
		`where it orders events by r, write: acyclic block?; (r \ block); block?`)
}

// Block is a command of p that makes events happen at once which are not those of a
// read-modify-write, an Atomic or a Lock; nil where there is none.
func Block(p *program.Program) *program.Command {
	for _, t := range p.Threads {
		for i := range t.Edges {
			if c := &t.Edges[i].Cmd; c.Op == program.Lock || c.Op == program.Atomic && !readModifyWrite(c) {
				return c
			}
		}
	}
	return nil
}

// width is from where to where the accesses of an Atomic go, in bytes, as far as that is known: its parts lie behind the first.
func width(p *program.Program, c *program.Command) int64 {
	most := int64(0)
	var first program.Expr
	for i := range c.Body {
		if b := &c.Body[i]; b.Op == program.Load || b.Op == program.Store {
			if first == nil {
				first = b.Addr
			}
			if off, known := between(first, b.Addr); known {
				most = max(most, off+1)
				if a, constant := b.Addr.(program.Const); constant {
					if k := p.CellAt(int64(a)); k >= 0 {
						most = max(most, off+int64(p.Memory[k].Type.Bits)/8)
					}
				}
			}
		}
	}
	return most
}

// between is how far an address lies behind another.
func between(from, to program.Expr) (int64, bool) {
	base := func(e program.Expr) (program.Expr, int64) {
		switch e := e.(type) {
		case program.Const:
			return nil, int64(e)
		case program.Binary:
			if k, constant := e.Y.(program.Const); constant && e.Op == program.Add {
				return e.X, int64(k)
			}
		}
		return e, 0
	}
	x, k := base(from)
	y, l := base(to)
	return l - k, reflect.DeepEqual(x, y)
}

// readModifyWrite is true of an Atomic that the relation rmw is enough for: one access,
// or a load and a store to the address that it has loaded from; each may be in several
// parts.
func readModifyWrite(c *program.Command) bool {
	var loads []*program.Command
	overwritten := map[program.Reg]bool{} // since the first load
	stores := 0
	for i := range c.Body {
		b := &c.Body[i]
		switch b.Op {
		case program.Load:
			if stores > 0 || len(loads) > 0 && !b.Part {
				return false
			}
			loads = append(loads, b)
		case program.Store:
			if stores++; stores > 1 && !b.Part {
				return false
			}
			same := len(loads) == 0 || slices.ContainsFunc(loads, func(l *program.Command) bool { return reflect.DeepEqual(l.Addr, b.Addr) })
			program.Walk(b.Addr, func(e program.Expr) {
				if r, ok := e.(program.Reg); ok && overwritten[r] {
					same = false
				}
			})
			if !same {
				return false
			}
		}
		b.Writes(func(r int) { overwritten[program.Reg(r)] = true })
	}
	return true
}
