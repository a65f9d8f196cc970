package promela

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/fencepost-verifier/fencepost/program"
)

// A place is a variable for memory: a cell, or several with successive
// addresses as an array.
type place struct {
	name        string // "": the cell is constant
	first, last int    // cells
	array       bool
	typ         program.Type
	set         program.ValueSet // of all cells
	seen        bool             // by several threads, or by a property
}

// layOut gives every cell its place. An array of the source, whose elements are
// named a[0], a[1] and so on, is one here; nameless cells are one where there are
// several side by side.
func (w *writer) layOut() {
	cells := w.r.Cells
	w.placeOf = make([]int, len(cells))
	for i := 0; i < len(cells); {
		base, n := arrayName(cells[i].Name)
		j := i + 1
		for ; j < len(cells) && cells[j].Addr == cells[j-1].Addr+1 && cells[j].Type == cells[i].Type; j++ {
			name, k := arrayName(cells[j].Name)
			if n < 0 && cells[i].Name != "" || name != base || n >= 0 && k != n+int64(j-i) {
				break
			}
			if n < 0 && cells[j].Name != "" {
				break
			}
		}
		if n > 0 {
			j = i + 1 // elements of which the first is missing
		}
		pl := place{first: i, last: j - 1, array: j > i+1, typ: cells[i].Type}
		for c := i; c < j; c++ {
			w.placeOf[c] = len(w.places)
			pl.set = union(pl.set, w.r.Cell[c])
			pl.seen = pl.seen || w.r.Private(c) < 0 || w.r.Private(c) != w.r.Private(i)
		}
		if pl.set.Min() != pl.set.Max() {
			name := cells[i].Name
			switch {
			case name == "" && pl.array:
				name = "mem"
			case name == "":
				name = "mem_" + strings.ReplaceAll(strconv.FormatInt(cells[i].Addr, 10), "-", "m")
			case pl.array:
				name = base
			}
			pl.name = w.used.variable(name)
		}
		w.places = append(w.places, pl)
		i = j
	}
}

// arrayName takes a[7] apart; n is negative where name is no such.
func arrayName(name string) (base string, n int64) {
	if s, ok := strings.CutSuffix(name, "]"); ok {
		if i := strings.LastIndexByte(s, '['); i > 0 {
			if n, err := strconv.ParseInt(s[i+1:], 10, 64); err == nil && n >= 0 {
				return s[:i], n
			}
		}
	}
	return name, -1
}

func (w *writer) declarePlace(pl *place) {
	if pl.name == "" {
		return
	}
	if !pl.array {
		w.declare(!pl.seen, pl.set, pl.name, w.r.Cells[pl.first].Init)
		return
	}
	if !pl.seen {
		w.printf("local ")
	}
	w.printf("%s %s[%d]", narrowest(pl.set, true), pl.name, pl.last-pl.first+1)
	var inits []string
	zero := true
	for c := pl.first; c <= pl.last; c++ {
		zero = zero && w.r.Cells[c].Init == 0
		inits = append(inits, constant(w.r.Cells[c].Init).text)
	}
	if !zero {
		w.printf(" = {%s}", strings.Join(inits, ", "))
	}
	w.printf(";")
	if base := w.r.Cells[pl.first].Addr; base != 0 && w.r.Cells[pl.first].Name == "" {
		w.printf(" /* [0] is address %d */", base)
	}
	w.printf("\n")
}

// An address says which cells an access is to.
type address struct {
	term
	cells []int // ascending
	// stray is true where the address may be none of the cells. Then a load
	// gives 0 and a store does nothing (see abstract.System: an assertion has
	// failed before, and the run ends).
	stray bool
}

// address resolves the address of an access. asserted is true after an assertion
// in an atomic block.
func (w *writer) address(c *program.Command, addr term, asserted bool) address {
	if k, ok := addr.known(); ok {
		if i := w.r.CellIndex(k); i >= 0 {
			return address{addr, []int{i}, false}
		}
		return address{addr, nil, true}
	}
	a := address{term: addr, cells: w.r.Access[c]}
	if asserted {
		few, ok := addr.set.Few()
		a.stray = !ok
		for _, v := range few {
			a.stray = a.stray || w.r.CellIndex(v) < 0
		}
	}
	return a
}

// byPlace is what f gives for the place that the address is in, and 0 where the
// address is stray. cells is which of the cells of the place it may be.
func (w *writer) byPlace(a address, f func(pl *place, cells []int) (term, error)) (term, error) {
	out := constant(0)
	first := !a.stray
	var err error
	for hi := len(a.cells); hi > 0; {
		pl := &w.places[w.placeOf[a.cells[hi-1]]]
		lo := hi - 1
		for lo > 0 && a.cells[lo-1] >= pl.first {
			lo--
		}
		var here, in term
		if here, err = f(pl, a.cells[lo:hi]); err != nil {
			return out, err
		}
		if first {
			out, first = here, false
		} else {
			if in, err = w.inPlace(a.term, pl); err != nil {
				return out, err
			}
			if out, err = conditional(in, here, out); err != nil {
				return out, err
			}
		}
		hi = lo
	}
	return out, nil
}

// inPlace is whether the address is in the place.
func (w *writer) inPlace(addr term, pl *place) (term, error) {
	if !pl.array {
		return binary(program.Eq, addr, constant(w.r.Cells[pl.first].Addr))
	}
	lo, err := binary(program.Ge, addr, constant(w.r.Cells[pl.first].Addr))
	if err != nil {
		return lo, err
	}
	hi, err := binary(program.Le, addr, constant(w.r.Cells[pl.last].Addr))
	if err != nil {
		return hi, err
	}
	return binary(program.LogicalAnd, lo, hi)
}

// variable is the variable for an address in the place, and the values that the
// cells may have.
func (w *writer) variable(addr term, pl *place, cells []int) (term, error) {
	var set program.ValueSet
	for _, c := range cells {
		set = union(set, w.r.Cell[c])
	}
	if !pl.array {
		return term{text: pl.name, set: set}, nil
	}
	i, err := binary(program.Sub, addr, constant(w.r.Cells[pl.first].Addr))
	if err != nil {
		return i, err
	}
	return term{text: pl.name + "[" + strip(i.text) + "]", set: set}, exact(i)
}

// fromMemory is what memory holds at the address.
func (w *writer) fromMemory(a address) (term, error) {
	return w.byPlace(a, func(pl *place, cells []int) (term, error) {
		v, err := w.variable(a.term, pl, cells)
		if k, ok := v.known(); ok && err == nil {
			return constant(k), nil
		}
		return v, err
	})
}

// wrapTo is value as the cell at the address takes it.
func (w *writer) wrapTo(a address, value term) (term, error) {
	return w.byPlace(a, func(pl *place, _ []int) (term, error) { return wrap(pl.typ, value) })
}

// toMemory is the statements that store value, which still has to be wrapped, in
// memory.
func (w *writer) toMemory(a address, value term) ([]string, error) {
	type branch struct{ in, do string }
	var branches []branch
	for lo := 0; lo < len(a.cells); {
		pl := &w.places[w.placeOf[a.cells[lo]]]
		hi := lo + 1
		for hi < len(a.cells) && a.cells[hi] <= pl.last {
			hi++
		}
		b := branch{do: "skip"}
		if pl.name != "" {
			v, err := wrap(pl.typ, value)
			if err != nil {
				return nil, err
			}
			x, err := w.variable(a.term, pl, a.cells[lo:hi])
			if err != nil {
				return nil, err
			}
			b.do = x.text + " = " + strip(v.text)
		}
		in, err := w.inPlace(a.term, pl)
		if err != nil {
			return nil, err
		}
		b.in = in.text
		branches = append(branches, b)
		lo = hi
	}
	if a.stray {
		branches = append(branches, branch{do: "skip"})
	}
	switch len(branches) {
	case 0:
		return nil, nil
	case 1:
		if branches[0].do == "skip" {
			return nil, nil
		}
		return []string{branches[0].do}, nil
	}
	// A d_step takes the first way, and there must be one.
	text := "if"
	for i, b := range branches {
		if i == len(branches)-1 {
			b.in = "else"
		}
		text += fmt.Sprintf(" :: %s -> %s", b.in, b.do)
	}
	return []string{text + " fi"}, nil
}

// strip takes the parentheses around text away.
func strip(text string) string {
	if !strings.HasPrefix(text, "(") || strings.Contains(text, "->") {
		return text
	}
	depth := 0
	for i, r := range text {
		switch r {
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth == 0 && i < len(text)-1 {
			return text
		}
	}
	return text[1 : len(text)-1]
}
