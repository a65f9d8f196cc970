package c

import (
	"fmt"
	"slices"
	"strings"

	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

const (
	maxObject = 1 << 16 // bytes of an object
	maxCells  = 1 << 14 // scalars of all objects together
	// gap is what lies between two objects. A pointer that is moved past the end
	// of its object does not get to another one by accident, and the analysis of
	// values tells pointers to different objects apart.
	gap = 64

	// lowestAddress is where the first of them begins.
	lowestAddress = 1024
)

// An object is a piece of memory.
type object struct {
	name  string
	t     *types.Type
	base  int64
	size  int64
	cells []scalar
	init  map[int64]int64
	heap  bool
	// freed is true of a pool whose objects can be given back. Then each has a cell
	// that is 1 as long as it is there, at the end of its stride.
	freed bool
	// born is true of a pool whose objects are there only once the thread maker has made them,
	// which others have to know of (births.go). Then each has the same cell.
	born  bool
	maker int
	// A pool has count objects, each stride bytes after the one before.
	count, stride int64
	thread        int // whose stack it is on; -1: static
	// A local variable that may be accessed when it is gone, and the block it is of. It has
	// a cell that is 1 as long as it is there, at the end of its stride.
	dies    bool
	scope   int
	who     string     // it, and whose it is
	fixed   string     // what it is, where nobody may change it, or parts of it: a string literal, or what is const
	fixedIn []interval // which parts, ascending
	unset   bool       // nothing is in it at first
	first   []bool     // of what malloc gives: the bytes that are written before others know of it (fresh.go)
	// Of a pool: what it is for is not known.
	untyped bool
	bytes   bool // untyped, and bytes where nothing larger is accessed
	words   bool // bytes, and never numbers of floating point
	divided bool // its cells are other ones than those of its type (divide.go)
	// Of a pool: it is on a stack, or from mmap, and where it is made.
	stack, mapped bool
	twinable      bool       // it may have a second place: it is declared, and nothing of the library is in it
	again         bool       // its block may be come to again
	twin          *twoPlaces // where it has a second place; see earlier.go
	second        bool       // it is such a place
	busy          int        // of one whose objects are made again: the register that tells whether the last one is there; 0: none (again.go)
	made          program.Position
	open          []openUnit // the units of bit-fields in it of which some bits belong to none
}

// A scalar is a cell of an object.
type scalar struct {
	off     int64
	size    int64
	t       *types.Type
	name    string
	members *program.Members // of the structure that it is; nil where it is none
	// fields is true where parts of it are stored to on their own: bit-fields, or members of a union.
	fields bool
}

// flatten lists the scalars of an object of type t.
func (u *unit) flatten(t *types.Type, name string, off int64, to []scalar) []scalar {
	if cell := u.packed(t); cell != nil {
		return append(to, scalar{off: off, size: t.Size, t: cell, name: name, members: u.membersOf(t), fields: true})
	}
	switch t.Kind {
	case types.ArrayKind:
		for i := range t.Len {
			to = u.flatten(t.Elem, fmt.Sprintf("%s[%d]", name, i), off+i*t.Elem.Size, to)
			u.limitCells(len(to))
		}
	case types.StructKind:
		for _, f := range t.Fields {
			to = u.member(f, name, off, to)
		}
	case types.UnionKind:
		var all []scalar
		for _, f := range u.visible(t) {
			all = append(all, u.member(f, name, off, nil)...)
		}
		cells := pieces(all)
		if u.known.padded[t.Node] {
			cells = append(slices.Clone(cells), u.hidden(t, cells, name, off)...)
			slices.SortFunc(cells, func(a, b scalar) int { return int(a.off - b.off) })
		}
		for _, s := range cells {
			s.fields = true // members may be parts of it
			to = append(to, s)
		}
	case types.VoidKind, types.FunctionKind:
	default:
		to = append(to, scalar{off: off, size: t.Size, t: t, name: name})
	}
	u.limitCells(len(to))
	return to
}

// limitCells fails where there are more scalars than there may be.
func (u *lowered) limitCells(n int) {
	if n > maxCells {
		u.fail("the memory of the program has more than %d scalars", maxCells)
	}
}

func (u *unit) member(f types.Field, name string, off int64, to []scalar) []scalar {
	if f.Name != "" {
		name += "." + f.Name
	}
	if f.Bits > 0 {
		// Bit-fields of one unit are one cell.
		for _, s := range to {
			if s.off == off+f.Offset {
				return to
			}
		}
		return append(to, scalar{off: off + f.Offset, size: f.Unit.Size, t: f.Unit, name: name, fields: true})
	}
	return u.flatten(f.Type, name, off+f.Offset, to)
}

// allocate gives an object of n bytes a place.
func (u *lowered) allocate(n int64) int64 {
	base := u.next
	u.next = (base + n + gap + 15) / 16 * 16
	return base
}

// object makes an object of type t.
func (u *unit) object(name string, t *types.Type) *object {
	o := u.newObject(name, t)
	u.align = u.alignment()
	u.place(o)
	return o
}

// place gives an object its place.
func (u *lowered) place(o *object) {
	if align := max(o.t.Align, u.align); align > 16 {
		u.next = (u.next + align - 1) / align * align
	}
	o.base = u.allocate(o.size)
}

// alignment is the largest that anything in the program asks for, by an attribute or _Alignas: all
// objects have it, since it costs nothing but addresses. 0: there is none.
func (u *unit) alignment() int64 {
	if u.aligned == nil {
		largest := int64(0)
		for _, word := range []string{"_Alignas", "alignas", "aligned", "__aligned__"} {
			if u.tree.Mentions(word) {
				largest = u.findAlignment()
				break
			}
		}
		u.aligned = &largest
	}
	return *u.aligned
}

func (u *unit) findAlignment() (largest int64) {
	take := func(n cc.ExpressionNode) {
		if k, ok := u.constantMaybe(n); ok && k > 0 && k <= maxObject && k&(k-1) == 0 {
			largest = max(largest, k)
		}
	}
	for t := u.ast.TranslationUnit; t != nil; t = t.TranslationUnit {
		walk(t.ExternalDeclaration, func(n cc.Node) bool {
			switch x := n.(type) {
			case *cc.AlignmentSpecifier:
				if x.ConstantExpression != nil {
					take(x.ConstantExpression)
				}
			case *cc.AttributeValue:
				if strings.Trim(x.Token.SrcStr(), "_") == "aligned" && x.Case == cc.AttributeValueExpr && x.ArgumentExpressionList != nil {
					take(x.ArgumentExpressionList.AssignmentExpression)
				}
			}
			return true
		})
	}
	return largest
}

// newObject makes an object of type t that has no place yet.
func (u *unit) newObject(name string, t *types.Type) *object {
	return u.add(name, t, u.cellsOf(t, name), u.openUnits(t, 0, true))
}

// placeAlone gives an object a place as those of a pool have theirs, with room behind it for the cell that tells whether it is there.
func (u *lowered) placeAlone(o *object) {
	o.stride = max(128, u.align)
	for o.stride < o.size+gap+8 {
		o.stride *= 2
	}
	u.next = (u.next + o.stride - 1) / o.stride * o.stride
	o.base = u.next
	u.next += o.stride
}

// add adds an object of type t, with these cells, that has no place yet.
func (u *lowered) add(name string, t *types.Type, cells []scalar, open []openUnit) *object {
	o := &object{name: name, t: t, size: t.Size, count: 1, thread: -1, init: map[int64]int64{}, cells: cells, open: open}
	u.cells += len(o.cells)
	u.limitCells(u.cells)
	u.objects = append(u.objects, o)
	return o
}

// pool makes count objects of one type.
func (u *unit) pool(name string, t *types.Type, size, count int64) *object {
	return u.addPool(name, t, size, count, u.cellsOf(t, ""), u.openUnits(t, 0, true))
}

// addPool adds count objects of one type, with these cells.
func (u *lowered) addPool(name string, t *types.Type, size, count int64, cells []scalar, open []openUnit) *object {
	o := &object{name: name, t: t, size: size, count: count, heap: true, thread: -1, init: map[int64]int64{}, cells: cells, open: open}
	u.cells += len(o.cells) * int(count)
	u.limitCells(u.cells)
	// Strides are powers of two, and multiples of them are where objects begin: so
	// the one that an address belongs to can be told from the address.
	o.stride = u.stride
	u.next = (u.next + o.stride - 1) / o.stride * o.stride
	o.base = u.allocate(o.stride * count)
	u.objects = append(u.objects, o)
	return o
}

// liveOff is where in its stride an object has the cell that tells whether it is there.
func (o *object) liveOff() int64 { return o.stride - 8 }

// instance is the name of an object of a pool.
func (o *object) instance(k int64) string {
	if o.count == 1 {
		return o.name
	}
	return fmt.Sprintf("%s#%d", o.name, k+1)
}

// nothingType is that of the cell at which an object of no bytes is freed: no access takes it for what it is.
var nothingType = program.Type{Bits: 3}

// memory is the cells of all objects.
func (u *lowered) memory() []program.Cell {
	var cells []program.Cell
	for _, o := range u.objects {
		first := len(cells)
		for k := range o.count {
			for _, s := range o.cells {
				name := s.name
				if o.heap {
					name = o.instance(k) + name
				}
				w := s.t.Word()
				c := program.Cell{Addr: o.base + k*o.stride + s.off, Name: name, Type: w, Init: w.Wrap(o.init[s.off]), Members: s.members}
				if u.unused[c.Addr] {
					continue
				}
				if v, ok := u.initial[c.Addr]; ok {
					c.Init = v
				}
				if k, ok := u.marks[c.Addr]; ok {
					c.Type, c.Mark = flowgraph.Marked(w), k.v
				}
				cells = append(cells, c)
				if _, ok := u.noted[c.Addr]; ok {
					cells = u.besideNoted(cells, c)
				}
			}
			if a := o.base + k*o.stride; o.heap && len(o.cells) == 0 && !u.unused[a] {
				cells = append(cells, program.Cell{Addr: a, Name: o.instance(k), Type: nothingType})
			}
		}
		cells = append(cells, u.shadowCells(cells[first:], o)...)
		if o.dies || o.born || o.heap && u.opts.Leaks {
			for k := range o.count {
				a := o.liveAddr() + k*o.stride
				cells = append(cells, program.Cell{Addr: a, Name: "live " + o.instance(k), Type: program.BoolType, Init: u.initial[a]})
			}
		}
	}
	return cells
}
