package c

import (
	"slices"
	"strings"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/lowered"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// An _Atomic structure that is as large as a word is one to processors, which load and store it by plain
// moves; so it is one cell. Its members, which the program has to itself only in a copy, are bits of it.

// packed is the type of the cell that an object of type t is, or nil.
func (u *unit) packed(t *types.Type) *types.Type {
	if !t.Aggregate() || !t.Atomic || t.Library || t.Incomplete() || types.UnsignedOf(t.Size) == nil {
		return nil
	}
	all := u.flatten(t.Plain(), "", 0, nil)
	for _, s := range all {
		if s.Type.Kind == types.FloatKind || s.Type.Kind == types.OtherKind {
			return nil
		}
	}
	if len(all) == 1 && all[0].Size == t.Size {
		return all[0].Type.Plain()
	}
	return types.UnsignedOf(t.Size)
}

// membersOf are those of a structure that is one cell.
func (u *unit) membersOf(t *types.Type) *program.Members {
	if t == nil {
		return nil
	}
	if ms, ok := u.memberships[t.Node]; ok {
		return ms
	}
	var all []program.Member
	for _, s := range u.flatten(t.Plain(), "", 0, nil) {
		all = append(all, program.Member{Name: strings.TrimPrefix(s.Name, "."), Type: s.Type.Word(), Shift: 8 * s.Off})
	}
	ms := program.MembersOf(all)
	u.memberships[t.Node] = ms
	return ms
}

// unpacked is the values of the scalars of a value of type t that a cell holds.
func (u *unit) unpacked(t *types.Type, cell program.Expr) []program.Expr {
	var es []program.Expr
	for _, s := range u.flatten(t.Plain(), "", 0, nil) {
		es = append(es, flowgraph.Fold(un(program.Cast(s.Type.Word()), flowgraph.Fold(bin(program.UShr, cell, program.Const(8*s.Off))))))
	}
	return es
}

// pack is the value of a cell that holds v, of type t. What is in no member is 0: that counts where it is compared.
func (u *unit) pack(t, cell *types.Type, v value) value {
	all := u.flatten(t.Plain(), "", 0, nil)
	if len(v.agg) != len(all) {
		u.failAt(u.here, "", "%s is assigned to %s", v.t.Name, t.Name)
	}
	open := noMembers(t.Plain())
	es := slices.Clone(v.agg)
	for i, s := range all {
		if mask := openIn(open, s.Off, s.Size); mask != 0 && s.Fields {
			es[i] = flowgraph.Fold(bin(program.BitAnd, es[i], program.Const(^mask&allOf(s.Size))))
		}
	}
	return value{t: cell, e: lowered.Joined(all, es, cell)}
}

// inParts is p, of a structure that is not one cell, as a place that is accessed cell by cell.
func (l *lowerer) inParts(p place) place {
	p.wide = true
	return p
}
