package flowgraph

import (
	"encoding/binary"
	"slices"

	"github.com/fencepost-verifier/fencepost/program"
)

// An environment is what is known of registers, and how many threads have been made in
// the loop that is being unrolled.
type environment struct {
	regs  valuation // those that are known
	mem   valuation // likewise, of the tracked cells of the graph
	spawn int
	made  int // objects, likewise
}

// substitute is x with the constants that are known, simplified.
func (env *environment) substitute(x program.Expr) program.Expr {
	switch x := x.(type) {
	case program.Reg:
		if v, ok := env.regs.get(int64(x)); ok {
			return program.Const(v)
		}
	case program.Unary:
		return Fold(program.Unary{Op: x.Op, X: env.substitute(x.X)})
	case program.Binary:
		return Fold(program.Binary{Op: x.Op, X: env.substitute(x.X), Y: env.substitute(x.Y)})
	}
	return x
}

// apply executes c on what is known, and simplifies it in place. It is false where c
// cannot be executed.
func (env *environment) apply(g *Graph, c *program.Command) bool {
	set := func(x program.Expr) {
		if k, ok := x.(program.Const); ok {
			env.regs.set(int64(c.Reg), g.Regs[c.Reg].Type.Wrap(int64(k)))
		} else {
			env.regs.forget(int64(c.Reg))
		}
	}
	if c.Addr != nil {
		c.Addr = env.substitute(c.Addr)
	}
	if c.Value != nil {
		c.Value = env.substitute(c.Value)
	}
	switch c.Op {
	case program.Check:
		if c.Value == program.Const(0) {
			return false
		}
		env.learn(g, c.Value)
	case program.Assign:
		set(c.Value)
	case program.Havoc:
		set(nil)
	case program.Load:
		if k, ok := c.Addr.(program.Const); ok {
			if v, known := env.mem.get(int64(k)); known && FitsTag(g.Tracked[int64(k)].Type, c.Tags) {
				*c = program.Command{Op: program.Assign, Reg: c.Reg, Value: program.Const(v), Pos: c.Pos}
				set(c.Value)
				return true
			}
		}
		set(nil)
	case program.Store:
		if len(env.mem) == 0 {
			break
		}
		k, ok := c.Addr.(program.Const)
		cell, is := g.Tracked[int64(k)]
		v, known := c.Value.(program.Const)
		lo, hi, array := Within(c.Tags)
		switch {
		case !ok && array:
			env.mem = slices.DeleteFunc(env.mem, func(b binding) bool { return b.key > lo-8 && b.key < hi })
		case !ok && throughPointer(c.Addr): // nobody points to what is tracked
		case !ok: // it may be any of them
			env.mem = env.mem[:0]
		case is && known && FitsTag(cell.Type, c.Tags) && !c.Tags.Has(RealTag):
			env.mem.set(int64(k), cell.Type.Wrap(int64(v)))
		default:
			env.mem = slices.DeleteFunc(env.mem, func(b binding) bool { // a part of one, or another one
				return b.key > int64(k)-8 && b.key < int64(k)+8
			})
		}
	case program.Atomic:
		body := make([]program.Command, 0, len(c.Body))
		for _, b := range c.Body {
			if !env.apply(g, &b) {
				return false
			}
			if b.IsSkip() {
				continue
			}
			body = append(body, b)
		}
		if len(body) == 0 { // it may be a fence all the same
			body = append(body, program.Skip())
		}
		c.Body = body
	}
	return true
}

// throughPointer is true of an address that is a pointer, or the member of what one points to.
func throughPointer(addr program.Expr) bool {
	const largest = 512 // less than any address
	if b, ok := addr.(program.Binary); ok && b.Op == program.Add {
		if k, ok := b.Y.(program.Const); ok && k >= 0 && k < largest {
			addr = b.X
		}
	}
	_, ok := addr.(program.Reg)
	return ok
}

// learn takes in that e holds.
func (env *environment) learn(g *Graph, e program.Expr) {
	switch e := e.(type) {
	case program.Binary:
		switch e.Op {
		case program.LogicalAnd:
			env.learn(g, e.X)
			env.learn(g, e.Y)
		case program.Eq:
			if r, ok := e.X.(program.Reg); ok {
				if k, ok := e.Y.(program.Const); ok && g.Regs[r].Type.Wrap(int64(k)) == int64(k) {
					env.regs.set(int64(r), int64(k))
				}
			}
		}
	}
}

// key is the environment as a string.
func (env *environment) key() string {
	b := binary.AppendVarint(nil, int64(env.spawn))
	b = binary.AppendUvarint(b, uint64(len(env.regs)))
	for _, known := range []valuation{env.regs, env.mem} {
		for _, x := range known {
			b = binary.AppendVarint(binary.AppendVarint(b, x.key), x.v)
		}
	}
	return string(b)
}

func (env *environment) clone() *environment {
	return &environment{slices.Clone(env.regs), slices.Clone(env.mem), env.spawn, env.made}
}
