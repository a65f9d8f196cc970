package c

import (
	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/lowered"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// Where reads of what is not initialised are violations, there is a cell beside each cell of the
// program, [lowered.ShadowOffset] after it, that is 1 when something has been written to it. It is written
// before the other one is, so that whoever sees a value sees that there is one; and it is looked
// at before a value is read. A local variable in a register has a register beside it.
// Of a cell that is written in parts it tells which (setbits.go).

const notInitialised = "read of what is not initialised"

// shadows is true where an access to p has to do with them.
func (l *lowerer) shadows(p place) bool { return l.u.opts.Uninitialised && !p.trusted }

// mark notes that p is written to.
func (l *lowerer) mark(p place, is bool) {
	switch {
	case p.addr == nil:
		if p.shadow > 0 {
			l.assign(p.shadow-1, program.Const(program.Bool(is)))
		}
	case !l.shadows(p):
	case p.bits > 0 && is:
		l.markField(p, program.Const(1))
	default:
		l.markAs(p, program.Const(program.Bool(is)))
	}
}

// loadSet loads what is beside a cell.
func (l *lowerer) loadSet(cell place) int {
	load := l.setLoad(cell)
	l.emit(load)
	return load.Reg
}

// setLoad is the load of it.
func (l *lowerer) setLoad(cell place) program.Command {
	return program.Command{Op: program.Load, Reg: l.temp(types.UnsignedLong), Addr: plus(cell.addr, lowered.ShadowOffset), Tags: lowered.ShadowTags(cell.t)}
}

// setStore is the store to what is beside a cell.
func setStore(cell place, set program.Expr) program.Command {
	return program.Command{Op: program.Store, Addr: plus(cell.addr, lowered.ShadowOffset), Value: set, Tags: lowered.ShadowTags(cell.t)}
}

// markAs notes of what is in memory whether it is written to.
func (l *lowerer) markAs(p place, set program.Expr) {
	for _, c := range l.cells(p) {
		l.emit(setStore(c, set))
	}
}

// setStores are the stores to what is beside the cells of p, an atomic object, when v is stored there, of which parts need not have been
// written; where these are no step with that (atOnce), nothing is looked at beyond it.
func (l *lowerer) setStores(p place, v value) (stores []program.Command) {
	if !l.shadows(p) {
		return nil
	}
	if !l.u.opts.Mapping.x86() {
		for _, is := range l.membersSet(v) {
			l.emit(program.Command{Op: program.Assert, Kind: program.Bound, Value: is, Text: "not modelled: an atomic store of a structure, parts of which have not been written"})
		}
	}
	for i, c := range l.cells(p) {
		set := program.Expr(program.Const(1))
		switch {
		case v.sets != nil && l.u.packed(p.t) != nil:
			set = l.packedSet(p.t, v)
		case v.sets != nil:
			set = v.sets[i]
		}
		stores = append(stores, setStore(c, set))
	}
	return stores
}

// atOnce emits an access to an atomic object, and with it those to what is beside its cells: others may store there something of which other
// parts have been written. Where a model does not say what that is, what is beside them comes first.
func (l *lowerer) atOnce(c program.Command) {
	if l.u.opts.Mapping.x86() {
		if flowgraph.IsWide(&c) {
			l.wide(c.Text, c.Body)
		} else {
			l.emit(c)
		}
		return
	}
	var rest []program.Command
	for _, b := range c.Body {
		if !b.Tags.Has(flowgraph.ShadowTag) {
			rest = append(rest, b)
			continue
		}
		l.emit(b)
	}
	if c.Body = rest; len(rest) == 1 {
		c = rest[0]
	}
	l.emit(c)
}

// needsMembers asserts that all members of v have been written, which is compared.
func (l *lowerer) needsMembers(v value) {
	for _, is := range l.membersSet(v) {
		l.assert(is, notInitialised)
	}
}

// look asserts that something has been written to p.
func (l *lowerer) look(p place) {
	switch {
	case l.careless > 0:
	case p.addr == nil:
		if p.shadow > 0 {
			text := notInitialised
			if !l.u.opts.Uninitialised {
				text = noThreadValue
			}
			l.assert(ne(program.Reg(p.shadow-1), program.Const(0)), "%s", text)
		}
	case !l.shadows(p):
	case p.bits > 0:
		for _, f := range l.fieldCells(p) {
			l.assert(hasBits(program.Reg(l.loadSet(f.place)), f.bits), notInitialised)
		}
	default:
		for _, c := range l.cells(p) {
			l.assert(isWhole(program.Reg(l.loadSet(c))), notInitialised)
		}
	}
}

// A copied is a scalar that is copied, and whether it has been written; nil: nobody asks.
type copied struct {
	value
	set program.Expr
}

// loadCopy loads what is only put elsewhere: bytes may be copied that nobody reads.
func (l *lowerer) loadCopy(p place) (c copied) {
	if l.shadows(p) {
		c.set = program.Reg(l.loadSet(p))
	}
	l.careless++
	c.value = l.loadAs(p, plain)
	l.careless--
	return c
}

// storeCopy puts it there; what is not written is not so there, either.
func (l *lowerer) storeCopy(p place, c copied) {
	if c.set != nil {
		l.emit(program.Command{Op: program.Store, Addr: plus(p.addr, lowered.ShadowOffset), Value: c.set, Tags: lowered.ShadowTags(p.t)})
		p.trusted = true
	}
	l.storeAs(p, c.value, plain)
}

// initialised asserts that what threads wait by, of which this is a cell, has been initialised; initialises notes that it is.
func (l *lowerer) initialised(cell place) {
	cell.trusted = false
	l.look(cell)
}

func (l *lowerer) initialises(cell place) {
	cell.trusted = false
	l.mark(cell, true)
}

// mayBeSkipped notes a variable whose declaration a goto or a switch may jump over. Such a variable
// may be anything from where its block begins.
func (l *lowerer) mayBeSkipped(f *frame, v *variable) {
	if l.dryness > 0 || l.u.opts.Uninitialised || f.def == nil || !v.t.Integer() && v.t.Kind != types.PointerKind || !l.u.jumps(f.def) {
		return
	}
	if l.skippable[l.scope] = append(l.skippable[l.scope], v.reg); l.skipped == nil {
		l.skipped = map[int]*types.Type{}
	}
	l.skipped[v.reg] = v.t
}

// jumps is true of a function with jumps into blocks, or forwards in them.
func (u *unit) jumps(f *cc.FunctionDefinition) bool {
	is, known := u.jumping[f]
	if !known {
		walk(f.CompoundStatement, func(n cc.Node) bool {
			switch n := n.(type) {
			case *cc.JumpStatement:
				is = is || n.Case == cc.JumpStatementGoto || n.Case == cc.JumpStatementGotoExpr
			case *cc.SelectionStatement:
				is = is || n.Case == cc.SelectionStatementSwitch
			}
			return !is
		})
		u.jumping[f] = is
	}
	return is
}

// unset notes that a local variable has been declared without a value. Where to read it is no violation
// it has any (of memory see unset.go): 0 would be a guess.
func (l *lowerer) unset(v *variable) {
	if v.t.Library && !l.u.opts.Uninitialised {
		return
	}
	if !l.u.opts.Uninitialised {
		if v.obj == nil {
			l.emit(lowered.Anything(v.reg, v.t))
			l.mark(place{shadow: v.shadow}, true)
		} else {
			l.forgets(v.obj)
		}
		return
	}
	if v.obj != nil {
		for _, s := range v.obj.Cells { // an array is a pointer as a place
			l.mark(place{t: s.Type, addr: plus(v.obj.Address(), s.Off)}, false)
		}
		return
	}
	if v.shadow == 0 {
		v.shadow = l.register(v.name+" is set", program.BoolType, false) + 1
	}
	l.assign(v.shadow-1, program.Const(0))
}
