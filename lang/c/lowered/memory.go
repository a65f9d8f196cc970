package lowered

import (
	"fmt"
	"slices"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// An Interval is offsets from Lo on that are below Hi.
type Interval struct{ Lo, Hi int64 }

const (
	// MaxObject is how many bytes an object has at most, and maxCells how many scalars all objects have together.
	MaxObject = 1 << 16
	maxCells  = 1 << 14
	// Gap is what lies between two objects. A pointer that is moved past the end
	// of its object does not get to another one by accident, and the analysis of
	// values tells pointers to different objects apart.
	Gap = 64

	// lowestAddress is where the first of them begins.
	lowestAddress = 1024
)

// An Object is a piece of memory.
type Object struct {
	Name  string
	Type  *types.Type
	Base  int64
	Size  int64
	Cells []Scalar
	Init  map[int64]int64
	Heap  bool
	// Freed is true of a pool whose objects can be given back. Then each has a cell
	// that is 1 as long as it is there, at the end of its stride.
	Freed bool
	// born is true of a pool whose objects are there only once the thread maker has made them,
	// which others have to know of (births.go). Then each has the same cell.
	born  bool
	maker int
	// A pool has Count objects, each Stride bytes after the one before.
	Count, Stride int64
	Thread        int // whose stack it is on; -1: static
	// A local variable that may be accessed when it is gone, and the block it is of. It has
	// a cell that is 1 as long as it is there, at the end of its stride.
	Dies    bool
	Scope   int
	Who     string     // it, and whose it is
	Fixed   string     // what it is, where nobody may change it, or parts of it: a string literal, or what is const
	FixedIn []Interval // which parts, ascending
	Unset   bool       // nothing is in it at first
	First   []bool     // of what malloc gives: the bytes that are written before others know of it
	// Of a pool: what it is for is not known.
	Untyped bool
	Bytes   bool // untyped, and bytes where nothing larger is accessed
	words   bool // bytes, and never numbers of floating point
	divided bool // its cells are other ones than those of its type (divide.go)
	// Of a pool: it is on a stack, or from mmap, and where it is made.
	Stack, Mapped bool
	Made          program.Position
	Twinable      bool       // it may have a second place: it is declared, and nothing of the library is in it
	Again         bool       // its block may be come to again
	Twin          *TwoPlaces // where it has a second place; see earlier.go
	Second        bool       // it is such a place
	Busy          int        // of one whose objects are made again: the register that tells whether the last one is there; 0: none (again.go)
	open          []OpenUnit // the units of bit-fields in it of which some bits belong to none
}

// A Scalar is a cell of an object.
type Scalar struct {
	Off     int64
	Size    int64
	Type    *types.Type
	Name    string
	Members *program.Members // of the structure that it is; nil where it is none
	// fields is true where parts of it are stored to on their own: bit-fields, or members of a union.
	Fields bool
}

// LimitCells fails where there are more scalars than there may be.
func (u *Unit) LimitCells(n int) {
	if n > maxCells {
		u.fail("the memory of the program has more than %d scalars", maxCells)
	}
}

// allocate gives an object of n bytes a place.
func (u *Unit) allocate(n int64) int64 {
	base := u.next
	u.next = (base + n + Gap + 15) / 16 * 16
	return base
}

// Lasts is whether an address is known, and in an object that is there as long as the program.
func (u *Unit) Lasts(addr program.Expr) bool {
	a, known := addr.(program.Const)
	return known && slices.ContainsFunc(u.Objects, func(o *Object) bool { return !o.Dies && o.Base <= int64(a) && int64(a) < o.Base+o.Size })
}

// Place gives an object its place.
func (u *Unit) Place(o *Object) {
	if align := max(o.Type.Align, u.Align); align > 16 {
		u.next = (u.next + align - 1) / align * align
	}
	o.Base = u.allocate(o.Size)
}

// PlaceAlone gives an object a place as those of a pool have theirs, with room behind it for the cell that tells whether it is there.
func (u *Unit) PlaceAlone(o *Object) {
	o.Stride = max(128, u.Align)
	for o.Stride < o.Size+Gap+8 {
		o.Stride *= 2
	}
	u.next = (u.next + o.Stride - 1) / o.Stride * o.Stride
	o.Base = u.next
	u.next += o.Stride
}

// Add adds an object of type t, with these cells, that has no place yet.
func (u *Unit) Add(name string, t *types.Type, cells []Scalar, open []OpenUnit) *Object {
	o := &Object{Name: name, Type: t, Size: t.Size, Count: 1, Thread: -1, Init: map[int64]int64{}, Cells: cells, open: open}
	u.cells += len(o.Cells)
	u.LimitCells(u.cells)
	u.Objects = append(u.Objects, o)
	return o
}

// AddPool adds count objects of one type, with these cells.
func (u *Unit) AddPool(name string, t *types.Type, size, count int64, cells []Scalar, open []OpenUnit) *Object {
	o := &Object{Name: name, Type: t, Size: size, Count: count, Heap: true, Thread: -1, Init: map[int64]int64{}, Cells: cells, open: open}
	u.cells += len(o.Cells) * int(count)
	u.LimitCells(u.cells)
	// Strides are powers of two, and multiples of them are where objects begin: so
	// the one that an address belongs to can be told from the address.
	o.Stride = u.Stride
	u.next = (u.next + o.Stride - 1) / o.Stride * o.Stride
	o.Base = u.allocate(o.Stride * count)
	u.Objects = append(u.Objects, o)
	return o
}

// LiveOff is where in its stride an object has the cell that tells whether it is there.
func (o *Object) LiveOff() int64 { return o.Stride - 8 }

// Instance is the name of an object of a pool.
func (o *Object) Instance(k int64) string {
	if o.Count == 1 {
		return o.Name
	}
	return fmt.Sprintf("%s#%d", o.Name, k+1)
}

// nothingType is that of the cell at which an object of no bytes is freed: no access takes it for what it is.
var nothingType = program.Type{Bits: 3}

// memory is the cells of all objects.
func (u *Unit) memory() []program.Cell {
	var cells []program.Cell
	for _, o := range u.Objects {
		first := len(cells)
		for k := range o.Count {
			for _, s := range o.Cells {
				name := s.Name
				if o.Heap {
					name = o.Instance(k) + name
				}
				w := s.Type.Word()
				c := program.Cell{Addr: o.Base + k*o.Stride + s.Off, Name: name, Type: w, Init: w.Wrap(o.Init[s.Off]), Members: s.Members}
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
			if a := o.Base + k*o.Stride; o.Heap && len(o.Cells) == 0 && !u.unused[a] {
				cells = append(cells, program.Cell{Addr: a, Name: o.Instance(k), Type: nothingType})
			}
		}
		cells = append(cells, u.shadowCells(cells[first:], o)...)
		if o.Dies || o.born || o.Heap && u.Options.Leaks {
			for k := range o.Count {
				a := o.LiveAddr() + k*o.Stride
				cells = append(cells, program.Cell{Addr: a, Name: "live " + o.Instance(k), Type: program.BoolType, Init: u.initial[a]})
			}
		}
	}
	return cells
}

// ObjectAt is the object, of which there is one, in which an address is, or right behind it; nil: there is none, or it goes on to where is not known.
func (u *Unit) ObjectAt(a int64) *Object {
	o := u.ObjectOf(program.Const(a))
	if o == nil || o.Count > 1 || o.Heap || o.Type.Kind == types.FunctionKind || o.Size == 0 {
		return nil
	}
	if n := len(o.Type.Fields); n > 0 && o.Type.Fields[n-1].Type.Kind == types.ArrayKind && o.Type.Fields[n-1].Type.Len <= 0 {
		return nil
	}
	return o
}

// ObjectOf is the object that an address is in, as far as it is a constant and something added.
func (u *Unit) ObjectOf(x program.Expr) *Object {
	b, ok := x.(program.Binary)
	for ok && b.Op == program.Add {
		x = b.X
		b, ok = x.(program.Binary)
	}
	k, ok := x.(program.Const)
	if !ok {
		return nil
	}
	i := slices.IndexFunc(u.Objects, func(o *Object) bool { return o.Base <= int64(k) && int64(k) <= o.Base+o.Size })
	if i < 0 {
		return nil
	}
	return u.Objects[i]
}
