package c

import (
	"strings"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/program"
)

// An _Atomic structure that is as large as a word is one to processors, which load and store it by plain
// moves; so it is one cell. Its members, which the program has to itself only in a copy, are bits of it.

// packed is the type of the cell that an object of type t is, or nil.
func (u *unit) packed(t *ctype) *ctype {
	if !t.aggregate() || !t.atomic || t.library || t.incomplete() || unitOf(t.size) == nil {
		return nil
	}
	all := u.flatten(t.plain(), "", 0, nil)
	for _, s := range all {
		if s.t.kind == floatKind || s.t.kind == otherKind {
			return nil
		}
	}
	if len(all) == 1 && all[0].size == t.size {
		return all[0].t.plain()
	}
	return unitOf(t.size)
}

// membersOf are those of a structure that is one cell.
func (u *unit) membersOf(t *ctype) *program.Members {
	if t == nil {
		return nil
	}
	if ms, ok := u.memberships[t.node]; ok {
		return ms
	}
	var all []program.Member
	for _, s := range u.flatten(t.plain(), "", 0, nil) {
		all = append(all, program.Member{Name: strings.TrimPrefix(s.name, "."), Type: s.t.word(), Shift: 8 * s.off})
	}
	ms := program.MembersOf(all)
	u.memberships[t.node] = ms
	return ms
}

// unpacked is the values of the scalars of a value of type t that a cell holds.
func (u *unit) unpacked(t *ctype, cell program.Expr) []program.Expr {
	var es []program.Expr
	for _, s := range u.flatten(t.plain(), "", 0, nil) {
		es = append(es, flowgraph.Fold(un(program.Cast(s.t.word()), flowgraph.Fold(bin(program.UShr, cell, program.Const(8*s.off))))))
	}
	return es
}

// pack is the value of a cell that holds v, of type t.
func (u *unit) pack(t, cell *ctype, v value) value {
	all := u.flatten(t.plain(), "", 0, nil)
	if len(v.agg) != len(all) {
		u.failAt(u.here, "", "%s is assigned to %s", v.t.name, t.name)
	}
	return value{t: cell, e: joined(all, v.agg, cell)}
}

// inParts is p, of a structure that is not one cell, as a place that is accessed cell by cell.
func (l *lowerer) inParts(p place) place {
	p.wide = true
	return p
}
