package promela

import (
	"fmt"
	"strings"

	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
)

// The store buffer of a thread is two arrays, of the cells and of the values,
// oldest pair first, and how many there are. A cell is its index in
// [program.Ranges.Cells] plus 1. Free places hold 0, so that states are canonical,
// and so that who looks for a cell need not know the length.

// maxBuffer is the most pairs that a buffer may hold: its length is a byte.
const maxBuffer = 255

// layOutBuffer finds how many pairs the buffer of t has to hold, and at which
// control states it may hold how many.
func (w *writer) layOutBuffer(t *thread) error {
	t.held = make([]int, len(t.prog.States))
	t.written = make([]bool, len(w.r.Cells))
	if w.opts.Model == memory.SC {
		return nil
	}
	stores := 0
	var last *program.Edge
	for i := range t.prog.Edges {
		if e := &t.prog.Edges[i]; e.Cmd.Op == program.Store && w.r.Reachable[t.index][e.From] {
			stores++
			last = e
			for _, c := range w.r.Access[&e.Cmd] {
				t.written[c] = true
				t.stored = union(t.stored, w.r.Cell[c])
			}
			if k, ok := program.Fold(e.Cmd.Addr).(program.Const); ok {
				if c := w.r.CellIndex(int64(k)); c >= 0 {
					t.written[c] = true
					t.stored = union(t.stored, w.r.Cell[c])
				}
			}
		}
	}
	// A way that takes no edge twice has at most so many stores; more are in a
	// loop without a fence.
	limit := stores
	if w.opts.Buffer > 0 {
		limit = min(w.opts.Buffer, maxBuffer+1)
	}
	reached := make([]bool, len(t.prog.States))
	reached[t.prog.Initial] = true
	for changed := true; changed; {
		changed = false
		for i := range t.prog.Edges {
			e := &t.prog.Edges[i]
			if !reached[e.From] || !w.r.Reachable[t.index][e.From] {
				continue
			}
			n := t.held[e.From]
			switch {
			case e.Cmd.Op == program.Store && n == limit && w.opts.Buffer == 0:
				return w.p.Diagnose(last.Cmd.Pos, fmt.Sprintf("thread %s may store again and again without a fence between: its store buffer has no bound", t.prog.Name),
					"bound the store buffers (--buffer)")
			case e.Cmd.Op == program.Store && n == limit:
				t.capped = true
			case e.Cmd.Op == program.Store:
				n++
			case waitsForFlushes(&e.Cmd):
				n = 0
			}
			if !reached[e.To] || n > t.held[e.To] {
				reached[e.To], changed = true, true
				t.held[e.To] = max(n, t.held[e.To])
			}
		}
	}
	for _, n := range t.held {
		t.size = max(t.size, n)
	}
	if t.size > maxBuffer {
		return w.p.Diagnose(last.Cmd.Pos, fmt.Sprintf("the store buffer of thread %s may hold more than %d stores, which is too many for Spin", t.prog.Name, maxBuffer),
			"bound the store buffers (--buffer)")
	}
	if t.size > 0 {
		t.cells = w.used.variable(t.name + "_cell")
		t.values = w.used.variable(t.name + "_value")
		t.length = w.used.variable(t.name + "_length")
		t.flush = w.used.variable(t.name + "_flush")
	}
	return nil
}

// waitsForFlushes is true of what is enabled only where the buffer is empty.
func waitsForFlushes(c *program.Command) bool {
	switch c.Op {
	case program.Fence:
		return c.FullFence()
	case program.Lock, program.Unlock, program.Atomic:
		return true
	}
	return false
}

func (w *writer) declareBuffer(t *thread) {
	if t.size == 0 {
		return
	}
	numbers := program.Interval(0, int64(len(w.r.Cells)))
	w.printf("local %s %s[%d]; /* the store buffer: cells", narrowest(numbers, true), t.cells, t.size)
	for i := range w.places {
		pl := &w.places[i]
		any := false
		for c := pl.first; c <= pl.last; c++ {
			any = any || t.written[c]
		}
		name := pl.name
		if name == "" {
			name = w.r.Cells[pl.first].Name
		}
		switch {
		case !any:
		case pl.array:
			w.printf(", %d+i %s[i]", pl.first+1, name)
		default:
			w.printf(", %d %s", pl.first+1, comment(name))
		}
	}
	w.printf(" */\nlocal %s %s[%d];\n", narrowest(union(t.stored, program.Values(0)), true), t.values, t.size)
	w.declare(!w.finalsSee(t), program.Interval(0, int64(t.size)), t.length, 0)
	w.printf("inline %s() {\n", t.flush)
	w.flushBody(t)
	w.printf("}\n")
}

// flushBody writes what a flush does: the oldest pair goes to memory, the others
// move up.
func (w *writer) flushBody(t *thread) {
	var branches []string
	for i := range w.places {
		pl := &w.places[i]
		var lo, hi = -1, -1
		for c := pl.first; c <= pl.last; c++ {
			if t.written[c] {
				hi = c
				if lo < 0 {
					lo = c
				}
			}
		}
		first := t.cells + "[0]"
		switch {
		case lo < 0:
		case pl.array && pl.name != "" && lo == hi:
			branches = append(branches, fmt.Sprintf("%s == %d -> %s[%d] = %s[0]", first, lo+1, pl.name, lo-pl.first, t.values))
		case pl.name == "":
			branches = append(branches, fmt.Sprintf("%s >= %d && %s <= %d -> skip", first, lo+1, first, hi+1))
		case pl.array:
			branches = append(branches, fmt.Sprintf("%s >= %d && %s <= %d -> %s[%s - %d] = %s[0]",
				first, lo+1, first, hi+1, pl.name, first, pl.first+1, t.values))
		default:
			branches = append(branches, fmt.Sprintf("%s == %d -> %s = %s[0]", first, lo+1, pl.name, t.values))
		}
	}
	if n := len(branches); n == 1 {
		_, do, _ := strings.Cut(branches[0], " -> ")
		w.printf("\t%s;\n", do)
	} else {
		w.printf("\tif\n")
		for i, b := range branches {
			if i == n-1 {
				_, do, _ := strings.Cut(b, " -> ")
				b = "else -> " + do
			}
			w.printf("\t:: %s\n", b)
		}
		w.printf("\tfi;\n")
	}
	for _, a := range []string{t.cells, t.values} {
		for i := 1; i < t.size; i++ {
			w.printf("\t%s[%d] = %s[%d];\n", a, i-1, a, i)
		}
		w.printf("\t%s[%d] = 0;\n", a, t.size-1)
	}
	w.printf("\t%s--\n", t.length)
}

// cellNumber is the number under which the buffer of t has the cell at the address.
func (w *writer) cellNumber(a address) (term, error) {
	if len(a.cells) == 1 && !a.stray {
		return constant(int64(a.cells[0] + 1)), nil
	}
	return w.byPlace(a, func(pl *place, _ []int) (term, error) {
		if !pl.array {
			return constant(int64(pl.first + 1)), nil
		}
		// Within the array, whatever the analysis thinks of the address.
		n, err := binary(program.Sub, a.term, constant(w.r.Cells[pl.first].Addr-int64(pl.first)-1))
		if err == nil {
			err = exact(n)
		}
		return n, err
	})
}

// read is what thread t reads from the address at a control state where its
// buffer holds up to held pairs: the newest for the cell, else memory (rules RB
// and RM).
func (w *writer) read(t *thread, a address, held int) (term, error) {
	v, err := w.fromMemory(a)
	if err != nil {
		return v, err
	}
	set := v.set
	mine := false
	for _, c := range a.cells {
		mine = mine || t.written[c]
	}
	if !mine || held == 0 {
		return v, nil
	}
	if _, ok := v.known(); ok {
		return v, nil // whatever is buffered
	}
	n, err := w.cellNumber(a)
	if err != nil {
		return v, err
	}
	for i := range held {
		same := fmt.Sprintf("(%s[%d] == %s)", t.cells, i, n.text)
		v.text = fmt.Sprintf("(%s -> %s[%d] : %s)", same, t.values, i, v.text)
	}
	v.set = set
	return checked(v.text, v.set)
}

// push is the statements that buffer a store.
func (w *writer) push(t *thread, a address, value term, held int) ([]string, error) {
	n, err := w.cellNumber(a)
	if err != nil {
		return nil, err
	}
	v, err := w.wrapTo(a, value)
	if err != nil {
		return nil, err
	}
	at := t.length
	if held == 0 {
		at = "0"
	}
	return []string{
		fmt.Sprintf("%s[%s] = %s", t.cells, at, strip(n.text)),
		fmt.Sprintf("%s[%s] = %s", t.values, at, strip(v.text)),
		t.length + "++",
	}, nil
}
