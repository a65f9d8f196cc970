package c

import (
	"maps"
	"slices"

	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/lowered"
	"github.com/fencepost-verifier/fencepost/program"
)

// A local variable of a block that is come to again, as the body of a loop, is another one each time, and a pointer to that of an
// earlier round leads nowhere (C11, 6.2.4). They all have one place here, so such a pointer would lead to the variable of this round. Where
// that may be, the variable has two places: it is in the first one, until it is taken to be in the second one from some round on, which
// may be any. Whichever round a pointer is from, there is a run that has left the first place right behind that round, and finds
// nothing there any more.
//
// Most variables do not need that. Here is followed, in the graph of a thread, which registers may hold a pointer from an earlier round, and accesses
// by those are noted, as are all by other threads; which of them may be to a variable of a block that is come to again is
// known by the values that addresses can have. Then the program is read once more.

// twinned is what is declared at n, with a second place where it has to have one. That of a mutex and its kin is known by its address.
func (l *lowerer) twinned(n cc.Node, o *lowered.Object) *lowered.TwoPlaces {
	if l.u.declares[o], o.Twinable = n, n != nil && lowered.LibrarySpans(o.Type, 0, nil) == nil; l.dryness > 0 || !l.u.known.outlived[n] || !o.Dies {
		return nil
	}
	other := l.mortal("", o.Type, o.Scope)
	other.Name, other.Who, other.Unset, other.Fixed, other.FixedIn = o.Name, o.Who, o.Unset, o.Fixed, o.FixedIn
	t := &lowered.TwoPlaces{At: l.register("address of "+o.Who, program.Uint64Type, true), Before: l.register(o.Who+" again", program.BoolType, true), Other: other}
	l.g.Regs[t.At].Init = o.Base
	o.Twin, other.Second = t, true
	return t
}

// noteNamed tags them.
func (l *lowerer) noteNamed() {
	named := map[program.Expr]*lowered.Object{}
	for _, o := range l.mortals {
		if o.Twin != nil {
			named[program.Reg(o.Twin.At)] = o
		}
	}
	if len(named) == 0 {
		return
	}
	for i := range l.g.Edges {
		l.g.Edges[i].Cmd.Accesses(func(c *program.Command) {
			at, off := c.Addr, int64(0)
			if b, ok := at.(program.Binary); ok && b.Op == program.Add {
				if k, constant := b.Y.(program.Const); constant {
					at, off = b.X, int64(k)
				}
			}
			if o := named[at]; o != nil && 0 <= off && off < o.Size {
				c.Tags = c.Tags.With(o.ThereTag(), o.Twin.Other.ThereTag())
			}
		})
	}
}

// Pointers are what is known of a value: of the variables of blocks that are come to again, those of this round, and those of
// earlier ones, that it may point to.
type pointers struct{ now, earlier program.RegSet }

func (p pointers) empty() bool { return p.now.Len() == 0 && p.earlier.Len() == 0 }

// add adds what q has, and reports whether that is more.
func (p *pointers) add(q pointers) (more bool) {
	join := func(to *program.RegSet, from program.RegSet) {
		for i, w := range from {
			if *to == nil {
				*to = make(program.RegSet, len(from))
			}
			if w&^(*to)[i] != 0 {
				(*to)[i] |= w
				more = true
			}
		}
	}
	join(&p.now, q.now)
	join(&p.earlier, q.earlier)
	return more
}

// has is whether q has no more.
func (p pointers) has(q pointers) bool {
	within := func(to, from program.RegSet) bool {
		for i, w := range from {
			if to == nil && w != 0 || to != nil && w&^to[i] != 0 {
				return false
			}
		}
		return true
	}
	return within(p.now, q.now) && within(p.earlier, q.earlier)
}

// all is what it points to, of whatever round.
func (p pointers) all() program.RegSet {
	var q pointers
	q.add(p)
	q.add(pointers{now: p.earlier})
	return q.now
}

// A following is the search through the graph of a thread.
type following struct {
	l       *lowerer
	objects []*lowered.Object
	holds   []pointers     // by object: what is stored in it, by its name
	loose   program.RegSet // what others may have pointers to, or other memory
	changed bool
}

// noteEarlier tags the accesses of the thread that may be by pointers from earlier rounds.
func (l *lowerer) noteEarlier() {
	g := l.g
	again := l.againScopes()
	if len(again) == 0 {
		return
	}
	f := &following{l: l}
	for _, o := range l.mortals {
		if again[o.Scope] && !o.Second {
			o.Again = true
			f.objects = append(f.objects, o)
		}
	}
	if !f.pointed() {
		return
	}
	f.holds = make([]pointers, len(f.objects))
	f.loose = program.NewRegSet(len(f.objects))
	out, live := g.Out(), g.Live()
	at := make([]map[int]pointers, len(g.Nodes))
	for f.changed = true; f.changed; { // what is in memory is not told apart by when it is read
		f.changed = false
		clear(at)
		at[g.Start] = map[int]pointers{}
		for work := []int{g.Start}; len(work) > 0; {
			q := work[len(work)-1]
			work = work[:len(work)-1]
			for _, i := range out[q] {
				e := &g.Edges[i]
				regs := maps.Clone(at[q])
				f.edge(e, regs)
				maps.DeleteFunc(regs, func(r int, _ pointers) bool { return !live[e.To].Has(r) })
				if at[e.To] == nil {
					at[e.To] = regs
					work = append(work, e.To)
					continue
				}
				more := false
				for r, p := range regs {
					was := at[e.To][r]
					if was.has(p) {
						continue
					}
					var sum pointers
					sum.add(was)
					sum.add(p)
					at[e.To][r], more = sum, true
				}
				if more {
					work = append(work, e.To)
				}
			}
		}
	}
}

// againScopes are the blocks that the thread may come to again.
func (l *lowerer) againScopes() map[int]bool {
	comp, cyclic := l.g.Components(l.g.Out())
	again := map[int]bool{}
	for i := range l.g.Edges {
		e := &l.g.Edges[i]
		if c := comp[e.From]; c < 0 || !cyclic[c] || comp[e.To] != c || l.scopes[e.To] == nowhere {
			continue
		}
		for s := l.scopes[e.To]; s > wholeLife && !l.isIn(l.scopes[e.From], s); s = l.parents[s] {
			again[s] = true
		}
	}
	return again
}

// isIn is whether a block is one, or in it.
func (l *lowerer) isIn(s, around int) bool {
	for ; s > wholeLife; s = l.parents[s] {
		if s == around {
			return true
		}
	}
	return s == around
}

// pointed is whether an address of one of the objects is a value.
func (f *following) pointed() bool {
	found := false
	note := func(e program.Expr) {
		if e != nil && !found {
			p := f.of(e, nil)
			found = !p.empty()
		}
	}
	var command func(c *program.Command)
	command = func(c *program.Command) {
		switch c.Op {
		case program.Assign, program.Store:
			note(c.Value)
		case program.Atomic:
			for i := range c.Body {
				command(&c.Body[i])
			}
		}
	}
	for i := range f.l.g.Edges {
		e := &f.l.g.Edges[i]
		if lowered.Watches(e.Op) {
			continue
		}
		if e.Op != nil {
			for _, x := range e.Op.Operands() {
				note(x)
			}
			continue
		}
		command(&e.Cmd)
	}
	return found
}

// object is the one that an address is in, or behind, as one may be that is marked by bits; -1: none of those that are followed.
func (f *following) object(a int64) int {
	return slices.IndexFunc(f.objects, func(o *lowered.Object) bool { return o.Base <= a && a < o.Base+o.Stride })
}

// of is what an expression may point to.
func (f *following) of(e program.Expr, regs map[int]pointers) (p pointers) {
	program.Walk(e, func(e program.Expr) {
		switch e := e.(type) {
		case program.Reg:
			if q, ok := regs[int(e)]; ok {
				p.add(q)
				return
			}
			for i, o := range f.objects {
				if o.Twin != nil && o.Twin.At == int(e) {
					p.add(pointers{now: f.one(i)})
				}
			}
		case program.Const:
			if i := f.object(int64(e)); i >= 0 {
				p.add(pointers{now: f.one(i)})
			}
		}
	})
	return p
}

func (f *following) one(i int) program.RegSet {
	s := program.NewRegSet(len(f.objects))
	s.Add(i)
	return s
}

// lost notes that others may have these pointers, and what is in what they point to.
func (f *following) lost(p pointers) {
	for i := range f.objects {
		if all := p.all(); all != nil && all.Has(i) && !f.loose.Has(i) {
			f.loose.Add(i)
			f.changed = true
			f.lost(f.holds[i])
		}
	}
}

// edge takes what is known along an edge.
func (f *following) edge(e *flowgraph.Edge, regs map[int]pointers) {
	set := func(r int, p pointers) {
		if delete(regs, r); !p.empty() && f.l.g.Regs[r].Type.Bits == 64 {
			regs[r] = p
		}
	}
	switch {
	case lowered.Watches(e.Op):
	case e.Op != nil:
		for _, x := range e.Op.Operands() {
			f.lost(f.of(x, regs))
		}
		if r := e.Op.Writes(); r >= 0 {
			set(r, pointers{earlier: f.loose})
		}
	default:
		f.command(&e.Cmd, regs, set)
	}
	from, to := f.l.scopes[e.From], f.l.scopes[e.To]
	if from == to || to == nowhere {
		return
	}
	for i, o := range f.objects {
		if !f.l.isIn(from, o.Scope) || f.l.isIn(to, o.Scope) {
			continue
		}
		for r, p := range regs {
			if p.now != nil && p.now.Has(i) {
				var q pointers
				q.add(p)
				q.add(pointers{earlier: f.one(i)})
				q.now.Remove(i)
				regs[r] = q
			}
		}
	}
}

func (f *following) command(c *program.Command, regs map[int]pointers, set func(int, pointers)) {
	switch c.Op {
	case program.Assign:
		set(c.Reg, f.of(c.Value, regs))
	case program.Havoc:
		set(c.Reg, pointers{})
	case program.Load:
		p := f.by(c, regs)
		set(c.Reg, f.loaded(c, p))
	case program.Store:
		p := f.by(c, regs)
		v := f.of(c.Value, regs)
		if v.empty() {
			break
		}
		if i := f.named(c.Addr); i >= 0 {
			if f.holds[i].add(v) {
				f.changed = true
				if f.loose.Has(i) {
					f.lost(v)
				}
			}
			break
		}
		for i := range f.objects { // a pointer in it may have been given by either way
			if all := p.all(); all != nil && all.Has(i) && f.holds[i].add(v) {
				f.changed = true
			}
		}
		f.lost(v)
	case program.Atomic:
		for i := range c.Body {
			f.command(&c.Body[i], regs, set)
		}
	}
}

// by is what the address of an access may point to; an access by a pointer from an earlier round is noted.
func (f *following) by(c *program.Command, regs map[int]pointers) pointers {
	p := f.of(c.Addr, regs)
	if p.earlier.Len() > 0 && !c.Tags.Has(lowered.EarlierTag) {
		c.Tags = c.Tags.With(lowered.EarlierTag)
	}
	return p
}

// named is the object that an address is in that is not computed; -1: none.
func (f *following) named(addr program.Expr) int {
	if a, known := addr.(program.Const); known {
		return f.object(int64(a))
	}
	return -1
}

// loaded is what a load may give, by an address that points to p.
func (f *following) loaded(c *program.Command, p pointers) pointers {
	one := f.named(c.Addr)
	var v pointers
	for i, o := range f.objects {
		if all := p.all(); i != one && (all == nil || !all.Has(i)) {
			continue
		}
		// What is in a variable of the same block, or of one in it, was put there in this round.
		v.add(pointers{earlier: f.holds[i].earlier})
		for k, x := range f.objects {
			if now := f.holds[i].now; now != nil && now.Has(k) {
				if f.l.isIn(o.Scope, x.Scope) {
					v.add(pointers{now: f.one(k)})
				} else {
					v.add(pointers{earlier: f.one(k)})
				}
			}
		}
	}
	if one < 0 || f.loose.Has(one) {
		v.add(pointers{earlier: f.loose})
	}
	return v
}
