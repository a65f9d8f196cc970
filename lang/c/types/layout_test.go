package types_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/lang/c/types"
)

// A member of a table; with bits, a bit-field, and with bits of -1, one of no bits.
type member struct {
	name string
	t    *types.Type
	bits int
	said types.Attributes
}

// laid is a structure or a union of these members in words: its size, its alignment, and of each member the offset and,
// of a bit-field, its first bit and the size of its unit.
func laid(kind types.Kind, whole types.Attributes, members []member) string {
	t := types.Pending(kind, "", nil)
	lay := t.Layout(whole)
	for _, m := range members {
		switch {
		case m.bits < 0:
			lay.Close(m.t)
		case m.bits == 0:
			lay.Place(m.name, m.t, m.said)
		case !lay.PlaceBits(m.name, m.t, m.bits, m.said):
			return "refused"
		}
	}
	if !lay.End() {
		return "refused"
	}
	words := []string{fmt.Sprintf("%d/%d", t.Size, t.Align)}
	for _, f := range t.Fields {
		w := fmt.Sprintf("%s@%d", f.Name, f.Offset)
		if f.Bits > 0 {
			w += fmt.Sprintf(".%d:%d", f.BitOffset, f.Unit.Size)
		}
		words = append(words, w)
	}
	return strings.Join(words, " ")
}

// TestLayout: as the ABI of x86-64 has it.
func TestLayout(t *testing.T) {
	packed := types.Attributes{Packed: true}
	for _, x := range []struct {
		name    string
		kind    types.Kind
		whole   types.Attributes
		members []member
		want    string
	}{
		{"empty", types.StructKind, types.Attributes{}, nil, "0/1"},
		{"padding", types.StructKind, types.Attributes{}, []member{{name: "c", t: types.Char}, {name: "n", t: types.Long}, {name: "s", t: types.Short}}, "24/8 c@0 n@8 s@16"},
		{"packed", types.StructKind, packed, []member{{name: "c", t: types.Char}, {name: "n", t: types.Long}}, "9/1 c@0 n@1"},
		{"a packed member", types.StructKind, types.Attributes{}, []member{{name: "c", t: types.Char}, {name: "n", t: types.Int, said: packed}, {name: "m", t: types.Int}}, "12/4 c@0 n@1 m@8"},
		{"aligned", types.StructKind, types.Attributes{Align: 64}, []member{{name: "c", t: types.Char}}, "64/64 c@0"},
		{"an aligned member", types.StructKind, types.Attributes{}, []member{{name: "c", t: types.Char}, {name: "n", t: types.Int, said: types.Attributes{Align: 16}}}, "32/16 c@0 n@16"},
		{"union", types.UnionKind, types.Attributes{}, []member{{name: "c", t: types.ArrayOf(types.Char, 5)}, {name: "n", t: types.Int}}, "8/4 c@0 n@0"},
		{"bit-fields", types.StructKind, types.Attributes{}, []member{{name: "a", t: types.Int, bits: 3}, {name: "b", t: types.Int, bits: 30}}, "8/4 a@0.0:4 b@4.0:4"},
		{"of no bits", types.StructKind, types.Attributes{}, []member{{name: "a", t: types.Int, bits: 3}, {t: types.Int, bits: -1}, {name: "b", t: types.Int, bits: 3}}, "8/4 a@0.0:4 b@4.0:4"},
		{"of no bits, within a unit", types.StructKind, types.Attributes{}, []member{{name: "a", t: types.Int, bits: 3}, {t: types.Char, bits: -1}, {name: "b", t: types.Int, bits: 3}}, "4/4 a@0.0:1 b@1.0:1"},
		{"of no bits, beside a smaller unit", types.StructKind, types.Attributes{}, []member{{name: "a", t: types.Char, bits: 3}, {t: types.Char, bits: -1}, {name: "b", t: types.Int, bits: 9}, {name: "c", t: types.Int, bits: 2}}, "4/4 a@0.0:1 b@1.0:2 c@1.9:2"},
		{"of no bits, in a union", types.UnionKind, types.Attributes{}, []member{{name: "a", t: types.Int, bits: 3}, {t: types.Char, bits: -1}, {name: "b", t: types.Int, bits: 3}}, "4/4 a@0.0:4 b@0.0:4"},
		{"a gap", types.StructKind, types.Attributes{}, []member{{name: "a", t: types.Int, bits: 3}, {t: types.Int, bits: 5}, {name: "b", t: types.Int, bits: 3}}, "4/4 a@0.0:4 b@0.8:4"},
		{"a gap asks for no alignment", types.StructKind, types.Attributes{}, []member{{name: "c", t: types.Char}, {t: types.Int, bits: 5}}, "2/1 c@0"},
		{"a member in the unit", types.StructKind, types.Attributes{}, []member{{name: "a", t: types.Int, bits: 3}, {name: "c", t: types.Char}}, "4/4 a@0.0:1 c@1"},
		{"units of two sizes", types.StructKind, types.Attributes{}, []member{{name: "a", t: types.Char, bits: 3}, {name: "b", t: types.Int, bits: 9}}, "4/4 a@0.0:4 b@0.3:4"},
		{"at most", types.StructKind, types.Attributes{Most: 2}, []member{{name: "c", t: types.Char}, {name: "n", t: types.Long}, {name: "m", t: types.Int, said: types.Attributes{Align: 8}}}, "14/2 c@0 n@2 m@10"},
		{"bit-fields at most", types.StructKind, types.Attributes{Most: 8}, []member{{name: "a", t: types.Int, bits: 3}, {name: "b", t: types.Int, bits: 30}}, "8/4 a@0.0:8 b@0.3:8"},
		{"packed over the end", types.StructKind, packed, []member{{name: "a", t: types.Int, bits: 3}, {name: "b", t: types.Int, bits: 30}}, "5/1 a@0.0:5 b@0.3:5"},
		{"characters over the end", types.StructKind, packed, []member{{name: "a", t: types.Char, bits: 5}, {name: "b", t: types.Char, bits: 6}}, "2/1 a@0.0:2 b@0.5:2"},
		{"packed in two ways", types.StructKind, types.Attributes{Most: 8, Packed: true}, []member{{name: "a", t: types.Int, bits: 3}}, "refused"},
		{"three bytes", types.StructKind, types.Attributes{}, []member{{name: "a", t: types.Int, bits: 24}, {name: "c", t: types.Char}}, "4/4 a@0.0:3 c@3"},
		{"three fields of six bytes", types.StructKind, types.Attributes{}, []member{{name: "a", t: types.Long, bits: 14}, {name: "b", t: types.Long, bits: 30}, {name: "c", t: types.Int, bits: 2}, {name: "s", t: types.Short}}, "8/8 a@0.0:6 b@0.14:6 c@0.44:6 s@6"},
		{"an aligned one", types.StructKind, types.Attributes{}, []member{{name: "c", t: types.Char}, {name: "a", t: types.Int, bits: 3, said: types.Attributes{Align: 4}}}, "8/4 c@0 a@4.0:4"},
		{"of no bits at the end", types.StructKind, types.Attributes{}, []member{{name: "a", t: types.Char, bits: 4}, {t: types.Int, bits: -1}}, "4/1 a@0.0:1"},
		{"a union that is packed", types.UnionKind, packed, []member{{name: "a", t: types.Int, bits: 11}, {name: "c", t: types.Char}}, "2/1 a@0.0:2 c@0"},
	} {
		t.Run(x.name, func(t *testing.T) {
			if got := laid(x.kind, x.whole, x.members); got != x.want {
				t.Errorf("got %s, want %s", got, x.want)
			}
		})
	}
}

// TestCopies: a qualified copy of a structure that is not known yet is complete when that is.
func TestCopies(t *testing.T) {
	s := types.Pending(types.StructKind, "struct s", nil)
	c := s.Qualified(types.Qualifiers{Atomic: true})
	if !c.Incomplete() {
		t.Error("it is complete before its members are known")
	}
	lay := s.Layout(types.Attributes{})
	lay.Place("n", types.Int, types.Attributes{})
	if !lay.End() || c.Incomplete() || c.Size != 4 || c.Name != "_Atomic struct s" || !c.Same(s) {
		t.Errorf("it is %s of %d bytes", c.Name, c.Size)
	}
}

// TestUsual: the usual arithmetic conversions (C11, 6.3.1.8).
func TestUsual(t *testing.T) {
	for _, x := range []struct{ a, b, want *types.Type }{
		{types.Char, types.UnsignedShort, types.Int},
		{types.Int, types.UnsignedInt, types.UnsignedInt},
		{types.UnsignedInt, types.Long, types.Long},
		{types.Long, types.UnsignedLong, types.UnsignedLong},
	} {
		if got := types.Usual(x.a, x.b); !got.Same(x.want) {
			t.Errorf("%s and %s: got %s, want %s", x.a.Name, x.b.Name, got.Name, x.want.Name)
		}
	}
}
