package lowered

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// Memory that malloc gives has the type of what it is for, where the program says so at once. Else
// its cells are what accesses to it take them for, which is known when values have been analysed:
// a few times, since it may hold the pointers by which it is accessed.

// byWord are the types of cells by the marks of accesses.
var byWord = func() map[string]*types.Type {
	m := map[string]*types.Type{}
	for _, t := range []*types.Type{types.Float, types.Double, types.Bool, types.SignedChar, types.UnsignedChar, types.Short, types.UnsignedShort, types.Int, types.UnsignedInt, types.Long, types.UnsignedLong} {
		m[t.Word().String()] = t
	}
	for _, t := range types.Odd {
		m[t.Word().String()] = t
	}
	return m
}()

// MayBeOther notes that an array of bytes that are 0 is memory for something larger if that is all that it is accessed as.
func (o *Object) MayBeOther() {
	if t := o.Type; t.Kind == types.ArrayKind && t.Len > 1 && t.Elem.Size == 1 && t.Elem.Kind == types.IntegerKind && !t.Elem.Atomic {
		o.Untyped, o.Bytes, o.words = true, true, true
	}
}

// infer gives the objects their cells whose types are not known.
func (u *Unit) infer(left *Effort) {
	var pools []*Object
	for _, o := range u.Objects {
		if o.Untyped {
			pools = append(pools, o)
		}
	}
	for range 4 {
		if len(pools) == 0 {
			return
		}
		p := u.assemble()
		r, err := program.AnalyseContext(left, p)
		if err != nil {
			return
		}
		changed := false
		for _, o := range pools {
			changed = o.retype(u, r) || changed
		}
		if !changed {
			return
		}
	}
}

// retype gives an object the cells that accesses take it to have, and reports whether that
// changes it. Where they do not fit together it stays what it is.
func (o *Object) retype(u *Unit, r *program.Ranges) bool {
	found := map[int64]*types.Type{}
	for c, set := range r.Address {
		t := Accessed(c.Tags)
		if t == nil {
			continue
		}
		set.Spans(func(lo, hi int64) {
			for k := range o.Count {
				base := o.Base + k*o.Stride
				for a := max(lo, base); a <= min(hi, base+o.Size-1); a++ {
					if old := found[a-base]; set.Has(a) && (old == nil || wider(t, old)) {
						found[a-base] = t
					}
				}
			}
		})
	}
	if o.words && slices.ContainsFunc(slices.Collect(maps.Values(found)), func(t *types.Type) bool { return t.Kind == types.FloatKind }) {
		return false
	}
	if len(found) > 0 && found[0] == nil {
		found[0] = types.Char // free finds the object by its beginning
	}
	if o.Bytes && !slices.ContainsFunc(slices.Collect(maps.Values(found)), func(t *types.Type) bool { return t.Size > 1 }) {
		return false
	}
	var cells []Scalar
	end := int64(0)
	for _, off := range slices.Sorted(maps.Keys(found)) {
		t := found[off]
		if off < end || off+t.Size > o.Size {
			return false
		}
		end = off + t.Size
		cells = append(cells, Scalar{Off: off, Size: t.Size, Type: t, Name: fmt.Sprintf("+%d", off)})
	}
	same := func(a, b Scalar) bool { return a.Off == b.Off && a.Type.Word() == b.Type.Word() }
	if len(cells) == 0 || slices.EqualFunc(cells, o.Cells, same) {
		return false
	}
	cells, ok := o.carries(u, cells, Interval{})
	if !ok || slices.EqualFunc(cells, o.Cells, same) {
		return false
	}
	o.Cells = cells
	return true
}

// wider is whether a cell of type t has room for more than one of type o; of those that hold as much it is one of them, always the same.
func wider(t, o *types.Type) bool {
	a, b := t.Word(), o.Word()
	return cmp.Or(cmp.Compare(t.Size, o.Size), cmp.Compare(a.Bits, b.Bits), cmp.Compare(a.String(), b.String())) > 0
}

// maxMet bounds how often main is executed on from where it has met memory whose types are not known.
const maxMet = 256

// prefixUntyped executes main before there are threads, and gives memory whose types are not known the cells that main comes to: it says where they are,
// as those of a pool that hands out pieces of one object, which values do not tell.
func (u *Unit) prefixUntyped() {
	u.prefix(u.assemble(), nil)
	for range maxMet {
		met := u.met
		u.met = nil
		changed := false
		for _, m := range met {
			changed = m.o.meets(u, m) || changed
		}
		if !changed {
			return
		}
		u.misfitting = nil
		u.prefix(u.assemble(), nil)
	}
}

// meets gives an object the cell of an access that main has come to, in place of what nothing has been stored to, and tells whether it can.
func (o *Object) meets(u *Unit, m misfit) bool {
	if m.off+m.t.Size > o.Size || o.words && m.t.Kind == types.FloatKind {
		return false
	}
	cells := slices.DeleteFunc(slices.Clone(o.Cells), func(c Scalar) bool { return c.Off < m.off+m.t.Size && m.off < c.Off+c.Size })
	cells = append(cells, Scalar{Off: m.off, Size: m.t.Size, Type: m.t, Name: fmt.Sprintf("+%d", m.off)})
	slices.SortFunc(cells, func(a, b Scalar) int { return int(a.Off - b.Off) })
	if cells[0].Off > 0 {
		cells = slices.Insert(cells, 0, Scalar{Size: 1, Type: types.Char, Name: "+0"}) // free finds the object by its beginning
	}
	over := Interval{}
	if m.store {
		at := o.Base + m.k*o.Stride + m.off
		over = Interval{at, at + m.t.Size}
	}
	cells, ok := o.carries(u, cells, over)
	if ok {
		o.Cells = cells
	}
	return ok
}

// carries gives new cells of an object what main has stored in the old ones by now, and adds those of the old ones that main has stored to and that are in none of
// the new ones. It is false, and does nothing, where a new cell would hold a part of an old one, or of what has been stored and what has not, or an integer the
// bytes of a number of floating point. What is stored over next need not be carried.
func (o *Object) carries(u *Unit, cells []Scalar, over Interval) (_ []Scalar, ok bool) {
	written := func(a int64, s Scalar) bool { return u.written[a] && !(over.Lo <= a && a+s.Size <= over.Hi) }
	stored := func(s Scalar) bool {
		for k := range o.Count {
			if written(o.Base+k*o.Stride+s.Off, s) {
				return true
			}
		}
		return false
	}
	within := map[int64][]Scalar{} // by where the new cell begins: the old ones in it, other than itself
	for _, was := range o.Cells {
		i := slices.IndexFunc(cells, func(c Scalar) bool { return c.Off < was.Off+was.Size && was.Off < c.Off+c.Size })
		switch {
		case i < 0 && stored(was):
			cells = append(slices.Clone(cells), was)
		case i < 0 || cells[i].Off == was.Off && cells[i].Type.Word() == was.Type.Word():
		case cells[i].Off > was.Off || cells[i].Off+cells[i].Size < was.Off+was.Size:
			if stored(was) {
				return nil, false
			}
		default:
			within[cells[i].Off] = append(within[cells[i].Off], was)
		}
	}
	slices.SortFunc(cells, func(a, b Scalar) int { return int(a.Off - b.Off) })
	values, marks := map[int64]int64{}, map[int64]int64{}
	isFloat := func(c Scalar) bool { return c.Type.Kind == types.FloatKind }
	for _, c := range cells {
		in := within[c.Off]
		for k := range o.Count {
			base := o.Base + k*o.Stride
			value, bytes := int64(0), int64(0) // how many of its bytes are known
			some, sure, bits := false, true, true
			for _, was := range in {
				a := base + was.Off
				value |= u.initial[a] & (1<<(8*was.Size) - 1) << (8 * (was.Off - c.Off))
				is := written(a, was)
				some = some || is
				if is || !o.Unset {
					bytes += was.Size
				}
				bits = bits && !(is && (isFloat(was) || u.Reals[a]))
				set, known := u.initial[a+ShadowOffset]
				sure = sure && (set != 0 || !known && !o.Unset)
			}
			a := base + c.Off
			switch {
			case !some:
				if set, known := u.initial[a+ShadowOffset]; known && len(in) > 0 { // by the store that comes next
					marks[a+ShadowOffset] = set
				}
			case o.Unset && bytes < c.Size, u.Options.Uninitialised && !sure, isFloat(c) && value != 0, !isFloat(c) && !bits, c.Type.Kind == types.BoolKind && value > 1:
				return nil, false
			default:
				values[a] = c.Type.Word().Wrap(value)
			}
		}
	}
	for _, in := range within {
		for _, was := range in {
			for k := range o.Count {
				a := o.Base + k*o.Stride + was.Off
				delete(u.initial, a)
				delete(u.initial, a+ShadowOffset)
				delete(u.written, a)
				delete(u.Reals, a)
				delete(u.partly, a)
			}
		}
	}
	for a, v := range values {
		u.initial[a], u.written[a] = v, true
		if u.Options.Uninitialised {
			u.initial[a+ShadowOffset] = 1
		}
	}
	maps.Copy(u.initial, marks)
	return cells, true
}

// Accessed is the type that an access takes its cell for, or nil.
func Accessed(t program.Tags) *types.Type {
	if t.Has(flowgraph.FreeTag) || t.Has(flowgraph.ShadowTag) || t.Has(LifeTag) {
		return nil
	}
	for _, n := range t.Names() {
		if len(n) > len(flowgraph.AccessTag) && n[:len(flowgraph.AccessTag)] == flowgraph.AccessTag {
			if t := byWord[n[len(flowgraph.AccessTag):]]; t != nil {
				return t
			}
		}
	}
	return nil
}
