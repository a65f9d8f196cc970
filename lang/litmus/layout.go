package litmus

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fencepost-verifier/fencepost/internal/suggest"
	"github.com/fencepost-verifier/fencepost/program"
)

// Every variable begins a page, from firstPage on, which is a number that
// tests do not compute with otherwise. What lies between the variables belongs
// to none, so that an address that leaves an array hits nothing by accident.
const (
	firstPage = 0x10010000
	pageSize  = 0x1000
)

// A variable is a scalar, or an array where it is declared as one.
type variable struct {
	name     string
	at       program.Position
	typ      ctype
	declared bool // its type is
	elements int  // 1 for a scalar
	array    bool
	init     []constant
	// taken is true where the address of the variable is a value somewhere,
	// so that an address in a register may be that of the variable.
	taken bool
	// roams is true where it may be in a register whose content is not constant.
	roams bool
	addr  int64
	cell  program.Type // of the cells
	// split is true where the cells are not the elements; then extent is how many bytes
	// they are together.
	split  bool
	extent int64
}

// stride is the distance of two elements in bytes.
func (v *variable) stride() int64 { return int64(v.typ.typ.Bits) / 8 }

func (v *variable) size() int64 { return v.stride() * int64(v.elements) }

// element is the address of an element.
func (v *variable) element(i int) int64 { return v.addr + int64(i)*v.stride() }

func (v *variable) elementName(i int) string {
	if !v.array {
		return v.name
	}
	return fmt.Sprintf("%s[%d]", v.name, i)
}

// variables is all that a test names, by name and in the order of addresses,
// which is that of the names.
type variables struct {
	byName map[string]*variable
	sorted []*variable
}

// at is the variable that the address belongs to, or nil.
func (vs *variables) at(addr int64) *variable {
	i, found := slices.BinarySearchFunc(vs.sorted, addr, func(v *variable, a int64) int {
		switch {
		case v.addr > a:
			return 1
		case v.addr+v.size() <= a:
			return -1
		}
		return 0
	})
	if !found {
		return nil
	}
	return vs.sorted[i]
}

// names lists the variables, for hints.
func (vs *variables) names() []string {
	return slices.Collect(maps.Keys(vs.byName))
}

// known is the variable of the name, which the condition does not declare.
func (b *builder) known(name string, at program.Position) *variable {
	v := b.vars.byName[name]
	if v == nil {
		hint := suggest.OneOf(name, b.vars.names(), "variables")
		if b.taken(name) {
			hint = "a register needs its thread: 0:" + name
		}
		b.fail(at, hint, "the test has no variable %s", name)
	}
	return v
}

// mention makes sure that there is a variable of the name: what the initial
// state does not declare starts at 0.
func (b *builder) mention(name string, at program.Position) *variable {
	v := b.vars.byName[name]
	if v == nil {
		v = &variable{name: name, at: at, typ: defaultType, elements: 1}
		if len(b.vars.byName) == maxVariables {
			b.fail(at, "", "a test has up to %d variables", maxVariables)
		}
		b.vars.byName[name] = v
	}
	return v
}

// declare enters the variables of the initial state.
func (b *builder) declare() {
	for _, d := range b.decls {
		if d.reg != nil {
			continue
		}
		old := b.vars.byName[d.name]
		v := b.mention(d.name, d.at)
		if old != nil && (old.declared == (d.typ.name != "") || old.array || d.array > 0 || len(old.init) > 0 && len(d.init) > 0) {
			b.fail(d.at, "", "%s is declared already, in line %d", d.name, old.at.Line)
		}
		if d.typ.name != "" {
			v.typ, v.declared = d.typ, true
		}
		if d.array > 0 {
			v.elements, v.array = d.array, true
		}
		if len(d.init) > 0 {
			v.init = d.init
		}
	}
	// An address makes a pointer of what has no type.
	for _, v := range b.vars.byName {
		if !v.declared && len(v.init) > 0 && v.init[0].name != "" {
			v.typ = ctype{pointer: true, unsigned: true, typ: word(b.wordBits)}
		}
	}
}

// mentionAll enters the variables that values and operands name.
func (b *builder) mentionAll() {
	for _, d := range b.decls {
		for _, c := range d.init {
			if c.name != "" {
				b.mention(c.name, c.at).taken = true
			}
		}
	}
	b.names(b)
}

// place gives the variables their addresses.
func (b *builder) place() {
	for _, v := range b.vars.byName {
		b.vars.sorted = append(b.vars.sorted, v)
	}
	slices.SortFunc(b.vars.sorted, func(v, w *variable) int { return strings.Compare(v.name, w.name) })
	addr, cells := int64(firstPage), 0
	for _, v := range b.vars.sorted {
		v.addr = addr
		addr += (v.size() + pageSize - 1) / pageSize * pageSize
		if cells += v.elements; cells > maxCells {
			b.fail(v.at, "", "the variables have more than %d elements", maxCells)
		}
	}
}

// value is a constant as a number.
func (b *builder) value(c constant) int64 {
	switch {
	case c.code != nil:
		return b.codeAt(c.code)
	case c.name == "":
		return c.num
	}
	v := b.known(c.name, c.at)
	if c.index < 0 || c.index >= v.elements {
		b.fail(c.at, "", "%s has %s", v.name, plural(v.elements, "element"))
	}
	return v.element(c.index)
}

// sizes chooses the types of the cells and the widths of instructions that
// neither a suffix nor a register tells.
func (b *builder) sizes() {
	if b.splits {
		b.splitSizes(b.accesses(b))
		return
	}
	var known, unknown []access
	for _, a := range b.accesses(b) {
		if a.bits != 0 {
			known = append(known, a)
		} else {
			unknown = append(unknown, a)
		}
	}
	// What accesses through registers may be of any variable whose address
	// somebody holds.
	direct, indirect := map[*variable]map[uint8]bool{}, map[uint8]bool{}
	for _, a := range known {
		if a.v == nil {
			indirect[a.bits] = true
			continue
		}
		if direct[a.v] == nil {
			direct[a.v] = map[uint8]bool{}
		}
		direct[a.v][a.bits] = true
	}
	for _, v := range b.vars.sorted {
		widths := map[uint8]bool{}
		for w := range direct[v] {
			widths[w] = true
		}
		for w := range indirect {
			if v.taken {
				widths[w] = true
			}
		}
		v.cell = b.cellAsUsed(v, widths)
	}
	for i := range unknown {
		b.guess(&unknown[i])
	}
	all := append(known, unknown...)
	if slices.ContainsFunc(all, mixes) {
		b.mixed = true
		for _, v := range b.vars.sorted {
			v.roams = v.taken
		}
		b.splitSizes(all)
		return
	}
	for _, a := range all {
		b.checkAccess(a)
	}
}

// mixes is whether an access is to less or more than an element.
func mixes(a access) bool {
	return a.v != nil && (a.v.cell.Bits != a.bits || (a.addr-a.v.addr)%a.v.stride() != 0)
}

// cellAsUsed is the type of a variable's cells, given the widths of the accesses.
func (b *builder) cellAsUsed(v *variable, widths map[uint8]bool) program.Type {
	own := v.typ.typ
	if v.array || widths[own.Bits] || len(widths) != 1 {
		return own
	}
	for w := range widths {
		if w > own.Bits {
			return word(w)
		}
		// The accesses leave the upper part alone, so it must be clear for
		// the cell to be the whole value.
		if len(v.init) == 0 || v.init[0].name == "" && uint64(v.init[0].num) < 1<<w {
			return word(w)
		}
	}
	return own
}

// guess finds the width of an instruction such as "mov $1,(x)": the cell
// decides.
func (b *builder) guess(a *access) {
	if a.v != nil {
		a.bits = a.v.cell.Bits
	} else {
		for _, v := range b.vars.sorted {
			switch {
			case !v.taken:
			case a.bits == 0:
				a.bits = v.cell.Bits
			case a.bits != v.cell.Bits:
				b.fail(a.inAt, "give the instruction a suffix: b, w, l or q", "the size of the access to %s is not clear", a.text)
			}
		}
	}
	a.tell(a.bits)
}

// checkAccess refuses accesses that no cell is meant by.
func (b *builder) checkAccess(a access) {
	v := a.v
	switch {
	case v == nil:
		if slices.ContainsFunc(b.vars.sorted, func(v *variable) bool { return v.taken && v.cell.Bits == a.bits }) {
			return
		}
		size := ""
		if a.bits != 0 {
			size = fmt.Sprintf(" of %d bits", a.bits)
		}
		b.fail(a.at, "to access a variable through a register, put its address there: 0:"+b.exampleRegister()+"=x",
			"no register or variable holds the address of a variable%s", size)
	}
}

// A span is addresses, a step from each to the next.
type span struct{ first, last, step int64 }

// span is the addresses of the elements.
func (v *variable) span() span { return span{v.addr, v.element(v.elements - 1), v.stride()} }

// within is the condition that an address is one of the spans; with each address of one that
// has but a few it is compared by itself.
func (b *builder) within(addr program.Expr, spans []span, few int64) program.Expr {
	if b.work += len(b.vars.sorted); b.work > maxWork {
		b.fail(b.archAt, "", "the test is too large: too many accesses through registers for so many variables")
	}
	var cond program.Expr = program.Const(0)
	or := func(e program.Expr) {
		if cond == program.Const(0) {
			cond = e
		} else {
			cond = program.Binary{Op: program.LogicalOr, X: cond, Y: e}
		}
	}
	for _, s := range spans {
		if n := (s.last - s.first) / s.step; n < few {
			for i := range n + 1 {
				or(program.Binary{Op: program.Eq, X: addr, Y: program.Const(s.first + i*s.step)})
			}
			continue
		}
		or(program.Binary{Op: program.LogicalAnd,
			X: program.Binary{Op: program.LogicalAnd,
				X: program.Binary{Op: program.Le, X: program.Const(s.first), Y: addr},
				Y: program.Binary{Op: program.Le, X: addr, Y: program.Const(s.last)}},
			Y: program.Binary{Op: program.Eq,
				X: program.Binary{Op: program.BitAnd, X: addr, Y: program.Const(s.step - 1)},
				Y: program.Const(0)}})
	}
	return cond
}

// valid is the condition that an address is that of a cell with the width.
func (b *builder) valid(addr program.Expr, bits uint8) program.Expr {
	var spans []span
	for _, v := range b.vars.sorted {
		if v.taken && v.cell.Bits == bits {
			spans = append(spans, v.span())
		}
	}
	return b.within(addr, spans, 4)
}

// memory declares the cells.
func (b *builder) memory() {
	for _, v := range b.vars.sorted {
		var init []int64 // of a variable that is split
		for i := range v.elements {
			c := program.Cell{Addr: v.element(i), Name: v.elementName(i), Type: v.cell}
			if i < len(v.init) {
				n := b.value(v.init[i])
				own := v.typ.typ
				if own.Wrap(n) != n && word(own.Bits).Wrap(n) != n {
					b.fail(v.init[i].at, "", "%d does not fit into %d bits", n, own.Bits)
				}
				init = append(init, n)
				// As it would be read: with the sign of the type.
				if v.cell.Bits >= own.Bits {
					n = own.Wrap(n)
				}
				c.Init = v.cell.Wrap(n)
			}
			if !v.split {
				b.prog.Memory = append(b.prog.Memory, c)
			}
		}
		if v.split {
			for i := range v.cells() {
				off := int64(i) * int64(v.cell.Bits) / 8
				c := program.Cell{Addr: v.addr + off, Name: v.name, Type: v.cell, Init: b.piece(v, i, init)}
				if off > 0 {
					c.Name = fmt.Sprintf("%s+%d", v.name, off)
				}
				b.prog.Memory = append(b.prog.Memory, c)
			}
		}
	}
}
