package litmus

import (
	"slices"
	"strings"

	"github.com/fencepost-verifier/fencepost/internal/text"
	"github.com/fencepost-verifier/fencepost/program"
)

// A mode is another way to write an instruction or a call, which orders more.
type mode struct {
	what   string
	orders uint
	cost   int
}

// What fences of each architecture keep in order, as bits, and what they cost beside each
// other. The costs are ranks more than times: what a fence costs depends on the processor.
var fenceKinds = map[program.Arch][]mode{
	program.X86:     {{"mfence", 1, 1}},
	program.AArch64: {{"DMB ISHST", 1, 4}, {"DMB ISHLD", 2, 4}, {"DMB ISH", 7, 6}},
	// r,r is 1, r,w is 2, w,r is 4, w,w is 8.
	program.RISCV: {{"fence r,r", 1, 2}, {"fence r,w", 2, 2}, {"fence w,w", 8, 2}, {"fence r,rw", 3, 3}, {"fence rw,w", 10, 3},
		{"fence.tso", 11, 4}, {"fence w,r", 4, 6}, {"fence rw,r", 5, 7}, {"fence w,rw", 12, 7}, {"fence rw,rw", 15, 8}},
	program.PPC: {{"eieio", 1, 2}, {"lwsync", 3, 3}, {"sync", 7, 8}},
	program.C11: {{"atomic_thread_fence(memory_order_acquire)", 1, 3}, {"atomic_thread_fence(memory_order_release)", 2, 3},
		{"atomic_thread_fence(memory_order_acq_rel)", 3, 4}, {"atomic_thread_fence(memory_order_seq_cst)", 7, 8}},
	program.LKMM: {{"smp_rmb()", 1, 3}, {"smp_wmb()", 2, 3}, {"smp_mb()", 7, 8}},
}

// Strengthenings are the ways to make a test order more: fences after accesses to memory
// where others follow, and before those that a jump comes between; and in place of
// accesses, such ones of the same kind as order more. The text has to be one that [Parse]
// accepts; where it jumps by distances, which fences would change, the error says so.
func Strengthenings(src *program.Source) (found []program.Strengthening, err error) {
	defer text.Recover(&err)
	p := &parser{src: src, lex: newLexer(src)}
	p.header()
	p.initialState()
	p.dialect.program()
	s := &strengthener{parser: p, kinds: fenceKinds[p.tags]}
	if c, ok := p.dialect.(*cTest); ok {
		s.c(c)
	} else {
		for t, th := range p.threads {
			s.table(t, th)
		}
	}
	return s.found, nil
}

type strengthener struct {
	*parser
	kinds []mode
	found []program.Strengthening
	place int
}

// fences are what can be put at a site, one of them; edit is how.
func (s *strengthener) fences(site program.Site, edit func(fence string) (program.Edit, bool)) {
	for _, k := range s.kinds {
		if e, ok := edit(k.what); ok {
			site.Edits = []program.Edit{e}
			s.found = append(s.found, program.Strengthening{Site: site, What: k.what, Place: s.place, Orders: k.orders, Cost: k.cost})
		}
	}
	s.place++
}

// modes are what an access can become. Its name is rewritten; other edits come with it.
func (s *strengthener) modes(site program.Site, name program.Position, length int, ms []mode, also ...program.Edit) {
	at := program.Offset(s.src.Text, name)
	for _, m := range ms {
		site.Edits = append([]program.Edit{{From: at, To: at + length, Text: m.what}}, also...)
		s.found = append(s.found, program.Strengthening{Site: site, What: m.what, Instead: true, Place: s.place, Orders: m.orders, Cost: m.cost})
	}
	s.place++
}

// table finds the sites of a column.
func (s *strengthener) table(t int, th *thread) {
	last, back := -1, false
	for i, in := range th.code {
		h := in.common()
		if h.skip != nil {
			s.fail(h.at, "let it jump to a label", "a fence would change how far the jump goes")
		}
		if touches(in) {
			last = i
		}
		o, ok := in.(*op)
		back = back || h.jumps() && h.target <= i || ok && o.back != nil
	}
	labelled := make([]bool, len(th.code)+1)
	for _, i := range th.labels {
		labelled[i] = true
	}
	// split is true where a jump or a label came since the last site.
	split := false
	for i, in := range th.code {
		h := in.common()
		split = split || h.jumps() || labelled[i]
		before := i+1 < len(th.code) && touches(th.code[i+1]) && split
		if !touches(in) && !before || i >= last && !back {
			continue
		}
		split = false
		site := program.Site{Thread: t, State: -1, Statement: cellText(s.src.Text, h.at), Pos: h.at}
		s.fences(site, func(fence string) (program.Edit, bool) { return rowAfter(s.src.Text, h.at, t, fence) })
	}
	for _, in := range th.code {
		if o, ok := in.(*op); ok && len(o.modes) > 0 {
			s.modes(program.Site{Thread: t, State: -1, Statement: cellText(s.src.Text, o.at), Pos: o.at}, o.at, len(o.text), o.modes)
		}
	}
}

// touches is whether an instruction accesses memory.
func touches(in instruction) bool {
	switch in := in.(type) {
	case *op:
		return len(in.mems) > 0
	case *instr:
		return slices.ContainsFunc(in.args, func(o *operand) bool { return o.kind == memOperand })
	}
	return false
}

// The orders of access modes.
const (
	modeWeakAcquire = 1
	modeAcquire     = 3
	modeRelease     = 4
	modeFull        = 15
)

// spelt is a name in the letters of the one that it stands for.
func spelt(like, name string) string {
	if like == strings.ToLower(like) {
		return strings.ToLower(name)
	}
	return name
}

// armModes is the loads that acquire and the stores that release, for one that does not.
func armModes(name string) (ms []mode) {
	for _, m := range []struct {
		from, to string
		orders   uint
		cost     int
	}{
		{"LDR", "LDAPR", modeWeakAcquire, 1}, {"LDR", "LDAR", modeAcquire, 2}, {"LDAPR", "LDAR", modeAcquire, 2}, {"LDXR", "LDAXR", modeAcquire, 2},
		{"STR", "STLR", modeRelease, 2}, {"STXR", "STLXR", modeRelease, 2},
	} {
		size, ok := strings.CutPrefix(strings.ToUpper(name), m.from)
		if _, known := armInstructions().accesses[m.to+size]; ok && known && !strings.HasPrefix(size, "S") {
			ms = append(ms, mode{spelt(name, m.to+size), m.orders, m.cost})
		}
	}
	return ms
}

// armAtomicModes adds A, L and AL to the name of an atomic instruction.
func armAtomicModes(name string, at armAtomic, writes []register) (ms []mode) {
	returns := at.kind == "CAS" || at.kind != "ST" && !slices.ContainsFunc(writes, func(r register) bool { return r.base == armZero })
	size := map[uint8]string{8: "B", 16: "H"}[at.bits]
	for _, m := range []struct {
		acq, rel bool
		orders   uint
		cost     int
	}{{true, false, modeAcquire, 2}, {false, true, modeRelease, 2}, {true, true, modeAcquire | modeRelease, 4}} {
		if m.acq && !returns || at.acq && !m.acq || at.rel && !m.rel || at.acq == m.acq && at.rel == m.rel {
			continue
		}
		order := map[bool]string{true: "A"}[m.acq] + map[bool]string{true: "L"}[m.rel]
		ms = append(ms, mode{spelt(name, at.kind+at.op+order+size), m.orders, m.cost})
	}
	return ms
}

// riscvModes adds annotations to the name of an AMO or an exclusive access.
func riscvModes(name string, aq, rl bool, known ...string) (ms []mode) {
	stem := name
	for {
		i := strings.LastIndexByte(stem, '.')
		if i < 0 || !slices.Contains([]string{"aq", "rl", "aqrl"}, strings.ToLower(stem[i+1:])) {
			break
		}
		stem = stem[:i]
	}
	add := func(order string, orders uint, cost int) { ms = append(ms, mode{stem + "." + order, orders, cost}) }
	if !aq && !rl {
		for _, k := range known {
			add(k, map[string]uint{"aq": modeAcquire, "rl": modeRelease}[k], 1)
		}
	}
	if !aq || !rl {
		add("aq.rl", modeFull, 3)
	}
	return ms
}

// A cSite is where a statement of a block begins.
type cSite struct {
	thread int
	from   token
	end    int // in the text, of the statement
}

// A cCalled is a call of a function on something in memory.
type cCalled struct {
	thread int
	call   cCall
}

// c finds the sites of a test in C: before the statements of blocks, and the calls.
func (s *strengthener) c(c *cTest) {
	seen, thread := 0, -1
	for _, at := range c.sites {
		if at.thread != thread {
			seen, thread = at.from.Off, at.thread
			continue // before the first statement nothing has to be kept in order
		}
		between := s.src.Text[seen:at.from.Off]
		if !strings.ContainsAny(between, "(*") || !strings.ContainsAny(s.src.Text[at.from.Off:c.functions[thread].end], "(*") {
			continue
		}
		seen = at.from.Off
		site := program.Site{Thread: thread, State: -1, Before: true, Statement: strings.TrimSpace(firstLine(s.src.Text[at.from.Off:at.end])), Pos: at.from.Pos}
		s.fences(site, func(fence string) (program.Edit, bool) {
			indent := s.src.Text[strings.LastIndexByte(s.src.Text[:at.from.Off], '\n')+1 : at.from.Off]
			gap := " "
			if strings.TrimSpace(indent) == "" {
				gap = "\n" + indent
			}
			return program.Edit{From: at.from.Off, To: at.from.Off, Text: fence + ";" + gap}, true
		})
	}
	for _, k := range c.calls {
		s.call(k)
	}
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// call finds what a call can become.
func (s *strengthener) call(k cCalled) {
	f, _ := function(k.call)
	name := k.call.name
	site := program.Site{Thread: k.thread, State: -1, Statement: k.call.text, Pos: name.Pos}
	switch {
	case f.kernel:
		ms, also := s.kernelModes(f, k.call)
		if len(ms) > 0 {
			s.modes(site, name.Pos, len(name.Text), ms, also...)
		}
	case f.order > 0 || f.kind == callFence:
		if order, ok := k.call.args[f.order].(cOrder); ok {
			if ms := c11Modes(f.kind, order.name.Text); len(ms) > 0 {
				s.modes(site, order.name.Pos, len(order.name.Text), ms)
			}
		}
	}
}

// c11Modes is the orders that are stronger than the one of an access or of a fence.
func c11Modes(kind cFunctionKind, name string) (ms []mode) {
	prefix := "memory_order_"
	if !strings.HasPrefix(name, prefix) {
		prefix = "mo_"
	}
	have := map[string]uint{"acquire": 1, "release": 2, "acq_rel": 3, "seq_cst": 7}[strings.TrimPrefix(name, prefix)]
	for _, m := range []mode{{"acquire", 1, 1}, {"release", 2, 1}, {"acq_rel", 3, 2}, {"seq_cst", 7, 6}} {
		loads := m.what == "release" || m.what == "acq_rel"
		stores := m.what == "acquire" || m.what == "acq_rel"
		if have&^m.orders != 0 || have == m.orders || kind == callLoad && loads || kind == callStore && stores {
			continue
		}
		ms = append(ms, mode{prefix + m.what, m.orders, m.cost})
	}
	return ms
}

// kernelModes is the functions of the kernel that do what f does and order more; also is
// what becomes of the argument.
func (s *strengthener) kernelModes(f cFunctionInfo, x cCall) (ms []mode, also []program.Edit) {
	name := x.name.Text
	switch name {
	case "READ_ONCE", "WRITE_ONCE":
		at := program.Offset(s.src.Text, x.args[0].where())
		if s.src.Text[at] == '*' {
			also = []program.Edit{{From: at, To: at + 1}}
		} else {
			at = x.name.Off + strings.IndexByte(s.src.Text[x.name.Off:], '(') + 1
			also = []program.Edit{{From: at, To: at, Text: "&"}}
		}
		if name == "READ_ONCE" {
			return []mode{{"smp_load_acquire", modeAcquire, 2}}, also
		}
		return []mode{{"smp_store_release", modeRelease, 2}}, also
	}
	if stem, ok := strings.CutSuffix(name, "_relaxed"); ok && (f.kind == callUpdate || f.kind == callCompare) {
		return []mode{{stem + "_acquire", modeAcquire, 2}, {stem + "_release", modeRelease, 2}, {stem, modeFull, 10}}, nil
	}
	return nil, nil
}
