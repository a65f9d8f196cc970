// Package core makes litmus tests of runs: in comes a run of a program under SC, TSO or PSO, out
// comes the text of a test for x86 that herd7, litmus7 and package litmus read, and that has the
// same outcome: its threads do what those of the run do to memory, and its condition says what
// they read.
//
// Where SC does not allow the outcome, only what makes it so is left: the core of the run.
package core

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/fencepost-verifier/fencepost/explore"
	"github.com/fencepost-verifier/fencepost/lang/litmus"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// Litmus is a test whose condition is the outcome of the run: what its loads read and, where no
// store is left in a buffer, what is in memory at the end. The name is that of the test. It is an
// error where the run has more loads in a thread than there are registers.
func Litmus(ctx context.Context, run *verdict.Run, name string) (string, error) {
	if run.Program.Wide() {
		return "", run.Program.Diagnose(program.Position{}, "litmus tests are not made of runs with accesses of several cells in one step", "")
	}
	t := follow(run)
	t.name, t.model = name, run.Model
	t.shared()
	t.tame()
	weak := false
	if run.Model != memory.SC {
		allowed, err := t.allows(ctx, memory.SC)
		if err != nil {
			return "", err
		}
		weak = !allowed
	}
	if weak {
		if err := t.minimise(ctx); err != nil {
			return "", err
		}
	}
	text, err := t.text(weak)
	if err != nil {
		return "", err
	}
	allowed, err := t.allows(ctx, run.Model)
	if err == nil && !allowed {
		err = fmt.Errorf("internal error: the test does not have the outcome of the run:\n%s", text)
	}
	return text, err
}

// A kind is what an access is.
type kind uint8

const (
	load kind = iota
	store
	update // a read-modify-write
	fence
	storeFence
)

// An access is one of a thread.
type access struct {
	kind         kind
	cell         int
	seen, stored int64
}

// A test is the accesses of a run, by thread, and what is known of memory at the end.
type test struct {
	name    string
	model   memory.Model
	cells   []program.Cell
	init    []int64
	threads [][]access
	final   map[int]int64
}

// follow collects the accesses of a run.
func follow(run *verdict.Run) *test {
	p := run.Program
	t := &test{cells: run.Cells, init: run.Init, threads: make([][]access, len(p.Threads)), final: map[int]int64{}}
	regs := make([][]int64, len(p.Threads))
	for i, th := range p.Threads {
		for _, r := range th.Regs {
			regs[i] = append(regs[i], r.Init)
		}
	}
	mem := slices.Clone(run.Init)
	buffers := make([][]verdict.Pair, len(p.Threads))
	for i := range run.Steps {
		s := &run.Steps[i]
		if s.Edge >= 0 {
			f := follower{t: p.Threads[s.Thread], run: run, regs: slices.Clone(regs[s.Thread]), mem: slices.Clone(mem), buffer: buffers[s.Thread], choice: s.Choice}
			f.command(&f.t.Edges[s.Edge].Cmd)
			t.threads[s.Thread] = append(t.threads[s.Thread], f.out...)
		}
		regs, mem, buffers = s.Regs, s.Memory, s.Buffers
	}
	pending := func(b []verdict.Pair) bool { return len(b) > 0 }
	if !slices.ContainsFunc(buffers, pending) {
		for _, th := range t.threads {
			for _, a := range th {
				if a.kind == store || a.kind == update {
					t.final[a.cell] = mem[a.cell]
				}
			}
		}
	}
	return t
}

// A follower does what a step of a thread did.
type follower struct {
	t      *program.Thread
	run    *verdict.Run
	regs   []int64
	mem    []int64
	buffer []verdict.Pair
	choice int64
	out    []access
}

func (f *follower) eval(e program.Expr) int64 {
	return program.EvalRegs(e, f.regs)
}

func (f *follower) cell(c *program.Command) int {
	addr := f.eval(c.Addr)
	return slices.IndexFunc(f.run.Cells, func(c program.Cell) bool { return c.Addr == addr })
}

func (f *follower) command(c *program.Command) {
	set := func(r int, v int64) { f.regs[r] = f.t.Regs[r].Type.Wrap(v) }
	switch c.Op {
	case program.Assign:
		set(c.Reg, f.eval(c.Value))
	case program.Havoc:
		radix := c.Hi - c.Lo + 1
		set(c.Reg, c.Lo+f.choice%radix)
		f.choice /= radix
	case program.Load:
		if i := f.cell(c); i >= 0 {
			v := f.mem[i]
			for _, p := range f.buffer {
				if p.Cell == i {
					v = p.Value
				}
			}
			f.out = append(f.out, access{kind: load, cell: i, seen: v})
			set(c.Reg, v)
		}
	case program.Store:
		if i := f.cell(c); i >= 0 {
			f.mem[i] = f.run.Cells[i].Type.Wrap(f.eval(c.Value))
			f.out = append(f.out, access{kind: store, cell: i, stored: f.mem[i]})
		}
	case program.Fence:
		switch {
		case c.FullFence():
			f.out = append(f.out, access{kind: fence})
		case c.StoreFence():
			f.out = append(f.out, access{kind: storeFence})
		}
	case program.Lock, program.Unlock:
		f.out = append(f.out, access{kind: fence})
	case program.Atomic:
		for i := range c.Body {
			f.command(&c.Body[i])
		}
		if len(f.out) == 2 && f.out[0].kind == load && f.out[1].kind == store && f.out[0].cell == f.out[1].cell {
			f.out = []access{{update, f.out[0].cell, f.out[0].seen, f.out[1].stored}}
			return
		}
		f.out = append(append([]access{{kind: fence}}, f.out...), access{kind: fence})
	}
}

// shared leaves the cells that several threads access, and fences that stand between accesses.
func (t *test) shared() {
	by := map[int]map[int]bool{}
	for i, th := range t.threads {
		for _, a := range th {
			if a.kind <= update {
				if by[a.cell] == nil {
					by[a.cell] = map[int]bool{}
				}
				by[a.cell][i] = true
			}
		}
	}
	for i, th := range t.threads {
		t.threads[i] = slices.DeleteFunc(th, func(a access) bool { return a.kind <= update && len(by[a.cell]) < 2 })
	}
	for c := range t.final {
		if len(by[c]) < 2 {
			delete(t.final, c)
		}
	}
	t.tidy()
}

// tidy drops fences at the ends of threads and one of two, and threads that do nothing.
func (t *test) tidy() {
	isFence := func(a access) bool { return a.kind == fence || a.kind == storeFence }
	for i, th := range t.threads {
		var out []access
		for _, a := range th {
			if isFence(a) && (len(out) == 0 || out[len(out)-1] == a) {
				continue
			}
			out = append(out, a)
		}
		for len(out) > 0 && isFence(out[len(out)-1]) {
			out = out[:len(out)-1]
		}
		t.threads[i] = out
	}
	t.threads = slices.DeleteFunc(t.threads, func(th []access) bool { return len(th) == 0 })
}

// tame gives values that an instruction cannot have as a constant, or that print differently by
// size and sign, others; what is the same stays the same.
func (t *test) tame() {
	const limit = 1 << 31
	names, next := map[int64]int64{}, int64(1000)
	used := map[int64]bool{}
	each := func(f func(*int64)) {
		for i := range t.init {
			f(&t.init[i])
		}
		for _, th := range t.threads {
			for i := range th {
				f(&th[i].seen)
				f(&th[i].stored)
			}
		}
		for c, v := range t.final {
			f(&v)
			t.final[c] = v
		}
	}
	t.init = slices.Clone(t.init)
	each(func(v *int64) { used[*v] = true })
	each(func(v *int64) {
		if *v >= 0 && *v < limit {
			return
		}
		if _, ok := names[*v]; !ok {
			for used[next] {
				next++
			}
			names[*v] = next
			next++
		}
		*v = names[*v]
	})
}

// minimise leaves out what is not needed for the outcome to be one that the model of the run allows
// and SC forbids.
func (t *test) minimise(ctx context.Context) error {
	for again := true; again; {
		again = false
		for small := range t.smaller() {
			if allowed, err := small.allows(ctx, memory.SC); err != nil || allowed {
				continue
			}
			if allowed, err := small.allows(ctx, t.model); err == nil && allowed {
				*t, again = *small, true
				break
			}
			if ctx.Err() != nil {
				return ctx.Err()
			}
		}
	}
	return nil
}

// smaller yields t without a thread, without half of one, without an access, without a value at the end.
func (t *test) smaller() func(yield func(*test) bool) {
	return func(yield func(*test) bool) {
		with := func(i, from, to int) bool {
			c := *t
			c.threads = slices.Clone(t.threads)
			c.threads[i] = slices.Delete(slices.Clone(c.threads[i]), from, to)
			c.tidy()
			return len(c.threads) == 0 || yield(&c)
		}
		for i, th := range t.threads {
			for size := len(th); size > 0; size /= 2 {
				for from := 0; from+size <= len(th); from += size {
					if !with(i, from, from+size) {
						return
					}
				}
			}
		}
		for c := range t.final {
			s := *t
			s.final = map[int]int64{}
			for k, v := range t.final {
				if k != c {
					s.final[k] = v
				}
			}
			if !yield(&s) {
				return
			}
		}
	}
}

// allows is whether the model lets the test end as it says.
func (t *test) allows(ctx context.Context, m memory.Model) (bool, error) {
	text, err := t.text(false)
	if err != nil {
		return false, err
	}
	p, err := litmus.Parse(&program.Source{Name: "core.litmus", Text: text})
	if err != nil {
		return false, fmt.Errorf("internal error: a test that is none: %w", err)
	}
	r, err := explore.Check(ctx, p, explore.Options{Model: m})
	switch {
	case err != nil:
		return false, err
	case !r.Conclusive():
		return false, fmt.Errorf("the outcome of the run is too much to be looked for: %s", r.Reason())
	}
	return r.Unsafe(), nil
}

var registers = []string{"rax", "rbx", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15"}

// low is the lower half of a register, as an instruction names it.
func low(r string) string {
	if r[1] >= '0' && r[1] <= '9' {
		return "%" + r + "d"
	}
	return "%e" + r[1:]
}

var errRegisters = errors.New("a thread of the run has more loads than a litmus test has registers")

// text is the test; weak: SC does not allow its outcome.
func (t *test) text(weak bool) (string, error) {
	var terms []string
	columns := make([][]string, len(t.threads))
	for i, th := range t.threads {
		n := 0
		for _, a := range th {
			x, r := t.cell(a.cell), ""
			if a.kind == load || a.kind == update {
				if n == len(registers) {
					return "", errRegisters
				}
				r = registers[n]
				n++
				terms = append(terms, fmt.Sprintf("%d:%s=%d", i, r, a.seen))
			}
			switch a.kind {
			case load:
				columns[i] = append(columns[i], fmt.Sprintf("movl (%s),%s", x, low(r)))
			case store:
				columns[i] = append(columns[i], fmt.Sprintf("movl $%d,(%s)", a.stored, x))
			case update:
				columns[i] = append(columns[i], fmt.Sprintf("movl $%d,%s", a.stored, low(r)), fmt.Sprintf("xchgl %s,(%s)", low(r), x))
			case fence:
				columns[i] = append(columns[i], "mfence")
			case storeFence:
				columns[i] = append(columns[i], "sfence")
			}
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "X86_64 %s\n", t.name)
	if weak {
		fmt.Fprintf(&b, "\"the core of a run under %s, whose outcome SC does not allow\"\n", t.model)
	} else {
		fmt.Fprintf(&b, "\"the accesses of a run under %s\"\n", t.model)
	}
	b.WriteString("{")
	for _, c := range t.used() {
		fmt.Fprintf(&b, " %s=%d;", t.cell(c), t.init[c])
		if v, ok := t.final[c]; ok {
			terms = append(terms, fmt.Sprintf("%s=%d", t.cell(c), v))
		}
	}
	b.WriteString(" }\n")
	litmus.WriteColumns(&b, columns)
	if len(terms) == 0 {
		return "", errors.New("threads of the run do not tell each other anything: there is no outcome to ask about")
	}
	fmt.Fprintf(&b, "exists (%s)\n", strings.Join(terms, ` /\ `))
	return b.String(), nil
}

// used lists the cells that are accessed.
func (t *test) used() (cells []int) {
	for _, th := range t.threads {
		for _, a := range th {
			if a.kind <= update {
				cells = append(cells, a.cell)
			}
		}
	}
	slices.Sort(cells)
	return slices.Compact(cells)
}

// cell is a name for a cell that is no register and has nothing but letters and digits, another
// one for every cell.
func (t *test) cell(i int) string {
	name := t.cells[i].Name
	if name == "" {
		name = fmt.Sprintf("m%d", i)
	}
	clean := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, name)
	clean = strings.Trim(clean, "_")
	same := func(c program.Cell) bool { return strings.EqualFold(c.Name, name) }
	if clean != name || slices.Contains(registers, strings.ToLower(clean)) || slices.IndexFunc(t.cells, same) != i || clean[0] < 'A' {
		clean = fmt.Sprintf("v%d_%s", i, clean)
	}
	return strings.TrimRight(clean, "_")
}
