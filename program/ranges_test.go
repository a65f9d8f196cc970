package program_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fencepost-verifier/fencepost/internal/polled"
	"github.com/fencepost-verifier/fencepost/internal/randprog"
	"github.com/fencepost-verifier/fencepost/program"
)

// array is threads that go through an array of n cells in loops, by addresses and values
// that they read from it.
func array(n int64) *program.Program {
	p := &program.Program{Name: "array", Default: program.Int32Type}
	for a := range n {
		p.Memory = append(p.Memory, program.Cell{Addr: a, Name: fmt.Sprintf("a[%d]", a), Type: program.Int32Type})
	}
	index := func(x program.Expr) program.Expr {
		return program.Binary{Op: program.URem, X: x, Y: program.Const(n)}
	}
	add := func(x program.Expr, k int64) program.Expr {
		return program.Binary{Op: program.Add, X: x, Y: program.Const(k)}
	}
	i, r := program.Reg(0), program.Reg(1)
	for range 3 {
		p.Threads = append(p.Threads, &program.Thread{
			Name:   fmt.Sprintf("P%d", len(p.Threads)),
			Regs:   []program.Register{{Name: "i", Type: program.Int32Type}, {Name: "r", Type: program.Int32Type}},
			States: []program.State{{Name: "q0"}, {Name: "q1"}, {Name: "q2"}, {Name: "q3"}},
			Edges: []program.Edge{
				{From: 0, To: 1, Cmd: program.Command{Op: program.Assign, Reg: 0, Value: add(i, 1)}},
				{From: 0, To: 1, Cmd: program.Command{Op: program.Load, Reg: 0, Addr: index(i)}},
				{From: 1, To: 2, Cmd: program.Command{Op: program.Store, Addr: index(i), Value: add(r, 1)}},
				{From: 2, To: 3, Cmd: program.Command{Op: program.Load, Reg: 1, Addr: index(add(i, 7))}},
				{From: 3, To: 0, Cmd: program.Skip()},
			},
		})
	}
	return p
}

func TestAnalyseLargeArrays(t *testing.T) {
	// 0.1 s, and a hundred times that where every round looks at every cell.
	p := array(100_000)
	start := time.Now()
	if _, err := program.Analyse(p); err != nil {
		t.Fatal(err)
	}
	if d := time.Since(start); d > 3*time.Second {
		t.Errorf("%v for %d cells", d, len(p.Memory))
	}
}

func TestAnalyseContext(t *testing.T) {
	p := array(50_000)
	ctx := polled.EndAt(context.Background(), 1<<30)
	if _, err := program.AnalyseContext(ctx, p); err != nil {
		t.Fatal(err)
	}
	n := ctx.Polls()
	if n < 3 {
		t.Errorf("%d polls", n)
	}
	for _, i := range polled.Samples(n, 20) {
		if _, err := program.AnalyseContext(polled.EndAt(context.Background(), i), p); !errors.Is(err, program.ErrStopped) || !errors.Is(err, context.Canceled) {
			t.Errorf("ends at poll %d: %v", i, err)
		}
	}
}

// TestRanges: whatever a random run of a random program comes by is in the ranges. Stores
// stay in buffers for a while.
func TestRanges(t *testing.T) {
	n := uint64(2000)
	if testing.Short() {
		n /= 5
	}
	steps, accesses := 0, 0
	for seed := range n {
		rng := rand.New(rand.NewPCG(seed, 77))
		opts := randprog.Options{CountLoop: 1, WaitLoop: 1, StoreLoop: int(seed % 3), Assert: 1, Assume: 1, AddrDep: 40, Unsigned: 20}
		p := randprog.New(rng, opts)
		r, err := program.Analyse(p)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for range 10 {
			run := newRun(p, r, rng)
			for range 150 {
				moved, err := run.step()
				if err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
				if moved {
					steps++
				}
			}
			accesses += run.accesses
		}
	}
	t.Logf("%d steps, %d accesses", steps, accesses)
	if steps < 100*int(n) || accesses < 20*int(n) {
		t.Errorf("%d steps, %d accesses", steps, accesses)
	}
}

// A run is a run of a program with FIFO store buffers.
type run struct {
	p        *program.Program
	r        *program.Ranges
	rng      *rand.Rand
	pc       []program.StateID
	regs     [][]int64
	mem      map[int64]int64
	buf      [][][2]int64
	lock     int
	accesses int
}

func newRun(p *program.Program, r *program.Ranges, rng *rand.Rand) *run {
	x := &run{p: p, r: r, rng: rng, mem: map[int64]int64{}, buf: make([][][2]int64, len(p.Threads)), lock: -1}
	for _, c := range p.Memory {
		x.mem[c.Addr] = c.Init
	}
	for _, t := range p.Threads {
		x.pc = append(x.pc, t.Initial)
		var regs []int64
		for _, r := range t.Regs {
			regs = append(regs, r.Init)
		}
		x.regs = append(x.regs, regs)
	}
	return x
}

// step makes a random step, if it finds one, and says what is not in the ranges.
func (x *run) step() (bool, error) {
	ti := x.rng.IntN(len(x.p.Threads))
	t := x.p.Threads[ti]
	free := x.lock < 0 || x.lock == ti
	if len(x.buf[ti]) > 0 && free && x.rng.IntN(3) == 0 {
		x.mem[x.buf[ti][0][0]] = x.buf[ti][0][1]
		x.buf[ti] = x.buf[ti][1:]
		return true, nil
	}
	var out []*program.Edge
	for i := range t.Edges {
		if t.Edges[i].From == x.pc[ti] {
			out = append(out, &t.Edges[i])
		}
	}
	if len(out) == 0 {
		return false, nil
	}
	e := out[x.rng.IntN(len(out))]
	drained := len(x.buf[ti]) == 0
	switch e.Cmd.Op {
	case program.Fence:
		if e.Cmd.FullFence() && !drained {
			return false, nil
		}
	case program.Lock:
		if !drained || x.lock >= 0 {
			return false, nil
		}
		x.lock = ti
	case program.Unlock:
		if !drained || x.lock != ti {
			return false, nil
		}
		x.lock = -1
	case program.Load:
		if !free {
			return false, nil
		}
	case program.Atomic:
		if !drained || !free {
			return false, nil
		}
		regs, mem := slices.Clone(x.regs[ti]), maps.Clone(x.mem)
		var first error // of no account if the block is not enabled
		for i := range e.Cmd.Body {
			ok, err := x.perform(ti, &e.Cmd.Body[i], true)
			if !ok {
				x.regs[ti], x.mem = regs, mem
				return false, nil
			}
			first = cmp.Or(first, err)
		}
		if first != nil {
			return false, first
		}
	}
	if e.Cmd.Op != program.Atomic {
		if ok, err := x.perform(ti, &e.Cmd, false); !ok || err != nil {
			return false, err
		}
	}
	x.pc[ti] = e.To
	for r, v := range x.regs[ti] {
		if !x.r.Reg[ti][r].Has(v) {
			return false, fmt.Errorf("register %d of thread %d is %d, of %v", r, ti, v, x.r.Reg[ti][r])
		}
	}
	if !x.r.Reachable[ti][e.To] {
		return false, fmt.Errorf("thread %d is at %d", ti, e.To)
	}
	return true, nil
}

// perform is a command alone or in a body; a failed assertion ends the thread.
func (x *run) perform(ti int, c *program.Command, atomic bool) (bool, error) {
	env := &program.Env{Reg: func(r program.Reg) int64 { return x.regs[ti][r] }}
	set := func(v int64) {
		x.regs[ti][c.Reg] = x.p.Threads[ti].Regs[c.Reg].Type.Wrap(v)
	}
	cell := -1
	var addr int64
	if c.Addr != nil {
		addr = program.Eval(c.Addr, env)
		cell = x.r.CellIndex(addr)
		if cell < 0 || !slices.Contains(x.r.Access[c], cell) {
			return cell >= 0, fmt.Errorf("thread %d accesses %d, of %v", ti, addr, x.r.Access[c])
		}
		x.accesses++
	}
	switch c.Op {
	case program.Check, program.Assert:
		return program.Eval(c.Value, env) != 0, nil
	case program.Assign:
		set(program.Eval(c.Value, env))
	case program.Havoc:
		set(c.Lo + x.rng.Int64N(c.Hi-c.Lo+1))
	case program.Load:
		if !x.r.Readers[cell][ti] {
			return false, fmt.Errorf("thread %d reads cell %d", ti, cell)
		}
		v := x.mem[addr]
		for _, b := range x.buf[ti] {
			if b[0] == addr {
				v = b[1]
			}
		}
		set(v)
	case program.Store:
		v := x.r.Cells[cell].Type.Wrap(program.Eval(c.Value, env))
		if owner := x.r.Private(cell); !x.r.Writers[cell][ti] || x.r.ReadOnly(cell) || owner >= 0 && owner != ti {
			return false, fmt.Errorf("thread %d writes cell %d", ti, cell)
		}
		if !x.r.Cell[cell].Has(v) {
			return false, fmt.Errorf("cell %d is %d, of %v", cell, v, x.r.Cell[cell])
		}
		if atomic {
			x.mem[addr] = v
		} else {
			x.buf[ti] = append(x.buf[ti], [2]int64{addr, v})
		}
	}
	return true, nil
}

// TestSpeculativeRanges: where every branch may be taken there is no less.
func TestSpeculativeRanges(t *testing.T) {
	more := 0
	for seed := range uint64(500) {
		p := randprog.New(rand.New(rand.NewPCG(seed, 78)), randprog.Options{CountLoop: 1, Assert: 1, Assume: 1})
		r, err := program.Analyse(p)
		if err != nil {
			t.Fatal(err)
		}
		s, err := program.AnalyseSpeculative(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		for ti := range r.Reg {
			for q, ok := range r.Reachable[ti] {
				if ok && !s.Reachable[ti][q] {
					t.Errorf("seed %d: state %d of thread %d", seed, q, ti)
				}
				if !ok && s.Reachable[ti][q] {
					more++
				}
			}
			for k, set := range r.Reg[ti] {
				if few, ok := set.Few(); ok && slices.ContainsFunc(few, func(v int64) bool { return !s.Reg[ti][k].Has(v) }) {
					t.Errorf("seed %d: register %d of thread %d: %v, not %v", seed, k, ti, s.Reg[ti][k], set)
				}
			}
		}
	}
	if more == 0 {
		t.Error("no branch is taken that could not be")
	}
}

// heap is a list of n nodes of two cells, one of which leads to the next, with other cells
// in between, and a thread that goes through it, writes what it finds into every node, and
// takes the nodes out of it by way of a cell of its own.
func heap(rng *rand.Rand, n int) (p *program.Program, nodes []int64) {
	p = &program.Program{Name: "heap", Default: program.Int32Type, Memory: []program.Cell{{Addr: 1, Name: "head", Type: program.Int32Type}, {Addr: 2, Name: "free", Type: program.Int32Type}}}
	at := int64(1000)
	for range n {
		p.Memory = append(p.Memory, program.Cell{Addr: at, Type: program.Int32Type}, program.Cell{Addr: at + 1, Type: program.Int32Type})
		nodes = append(nodes, at)
		at += 64 + rng.Int64N(100)
		for range 3 { // others
			p.Memory = append(p.Memory, program.Cell{Addr: at, Type: program.Int32Type, Init: 7})
			at += 64 + rng.Int64N(100)
		}
	}
	order := rng.Perm(n)
	for i, k := range order {
		c := &p.Memory[p.CellAt(nodes[k])]
		if i+1 < n {
			c.Init = nodes[order[i+1]]
		}
	}
	p.Memory[0].Init = nodes[order[0]]
	cur, next := program.Reg(0), program.Reg(1)
	set := func(addr, v program.Expr) program.Command {
		return program.Command{Op: program.Store, Addr: addr, Value: v}
	}
	p.Threads = []*program.Thread{{
		Name:   "P0",
		Regs:   []program.Register{{Name: "cur", Type: program.Int32Type}, {Name: "next", Type: program.Int32Type}},
		States: []program.State{{Name: "q0"}, {Name: "q1"}, {Name: "q2"}, {Name: "q3"}, {Name: "q4"}, {Name: "q5"}},
		Edges: []program.Edge{
			{From: 0, To: 1, Cmd: program.Command{Op: program.Load, Reg: 0, Addr: program.Const(1)}},
			{From: 1, To: 2, Cmd: program.Command{Op: program.Check, Value: program.Binary{Op: program.Ne, X: cur, Y: program.Const(0)}}},
			{From: 2, To: 3, Cmd: set(program.Binary{Op: program.Add, X: cur, Y: program.Const(1)}, program.Const(5))},
			{From: 3, To: 4, Cmd: program.Command{Op: program.Load, Reg: 1, Addr: cur}},
			{From: 4, To: 5, Cmd: set(program.Const(2), cur)},
			{From: 5, To: 1, Cmd: program.Command{Op: program.Assign, Reg: 0, Value: next}},
		},
	}}
	return p, nodes
}

// TestPointersKeepToTheirObjects: a pointer that goes through a heap does not range over
// what lies between.
func TestPointersKeepToTheirObjects(t *testing.T) {
	for _, n := range []int{3, 30, 1000} {
		p, nodes := heap(rand.New(rand.NewPCG(uint64(n), 1)), n)
		start := time.Now()
		r, err := program.Analyse(p)
		if err != nil {
			t.Fatal(err)
		}
		if d := time.Since(start); d > 30*time.Second { // on a busy machine
			t.Errorf("%d nodes: %v", n, d)
		}
		edges := p.Threads[0].Edges
		for i, offset := range map[int]int64{2: 1, 3: 0} {
			var got, want []int64
			for _, c := range r.Access[&edges[i].Cmd] {
				got = append(got, r.Cells[c].Addr)
			}
			for _, a := range nodes {
				want = append(want, a+offset)
			}
			if !slices.Equal(got, want) {
				t.Errorf("%d nodes, edge %d: %d cells, not %d: %v", n, i, len(got), len(want), got[:min(len(got), 20)])
			}
		}
		for i, c := range r.Cells {
			if c.Init == 7 && !r.ReadOnly(i) {
				t.Errorf("%d nodes: somebody writes [%d]", n, c.Addr)
				break
			}
		}
	}
}

// TestAddresses is what becomes of addresses without declared memory.
func TestAddresses(t *testing.T) {
	p := &program.Program{Name: "any", Default: program.Int32Type, Threads: []*program.Thread{{
		Name: "P0", Regs: []program.Register{{Name: "r", Type: program.Int32Type}}, States: []program.State{{Name: "q0"}, {Name: "q1"}, {Name: "q2"}},
		Edges: []program.Edge{
			{From: 0, To: 1, Cmd: program.Command{Op: program.Havoc, Hi: 99}},
			{From: 1, To: 2, Cmd: program.Command{Op: program.Store, Addr: program.Reg(0), Value: program.Reg(0)}},
			{From: 2, To: 1, Cmd: program.Command{Op: program.Load, Addr: program.Const(200)}},
		},
	}}, Properties: []program.Property{{Kind: program.Forbid, Cond: program.Mem{Addr: 500}}}, Observe: []program.Expr{program.Mem{Addr: 400}}}
	r, err := program.Analyse(p)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Cells) != 103 || r.CellIndex(500) != 102 || r.CellIndex(300) != -1 || len(r.Access[&p.Threads[0].Edges[1].Cmd]) != 100 ||
		r.Private(r.CellIndex(50)) != 0 || r.Private(r.CellIndex(500)) != -1 || r.ReadOnly(50) || !r.ReadOnly(r.CellIndex(200)) {
		t.Errorf("%d cells", len(r.Cells))
	}
	p.Threads[0].Edges[0].Cmd.Hi = 1 << 20
	_, err = program.Analyse(p)
	var diag *program.Diagnostic
	if !errors.As(err, &diag) || !strings.Contains(diag.Msg, "the address r of thread P0 has no useful bound (0..1048576") {
		t.Error(err)
	}
}

// TestPointersToElements: a pointer that goes through an array of structures, up to its end,
// keeps to the field that it points to, and out of what lies behind the array.
func TestPointersToElements(t *testing.T) {
	const n, size = 100, 80
	p := &program.Program{Name: "array", Default: program.Int64Type}
	for i := range int64(n) {
		for f := int64(0); f < size; f += 8 {
			p.Memory = append(p.Memory, program.Cell{Addr: 1000 + i*size + f, Type: program.Int64Type})
		}
	}
	end := int64(1000 + n*size)
	p.Memory = append(p.Memory, program.Cell{Addr: end + 64, Name: "other", Type: program.Int64Type})
	r := program.Reg(0)
	p.Threads = []*program.Thread{{
		Name: "P0", Regs: []program.Register{{Name: "p", Type: program.Int64Type, Init: 1000}},
		States: []program.State{{Name: "q0"}, {Name: "q1"}, {Name: "q2"}, {Name: "q3"}},
		Edges: []program.Edge{
			{From: 0, To: 1, Cmd: program.Command{Op: program.Check, Value: program.Binary{Op: program.Ne, X: r, Y: program.Const(end)}}},
			{From: 1, To: 2, Cmd: program.Command{Op: program.Store, Addr: program.Binary{Op: program.Add, X: r, Y: program.Const(8)}, Value: program.Const(1)}},
			{From: 2, To: 0, Cmd: program.Command{Op: program.Assign, Value: program.Binary{Op: program.Add, X: r, Y: program.Const(size)}}},
			{From: 0, To: 3, Cmd: program.Command{Op: program.Check, Value: program.Binary{Op: program.Eq, X: r, Y: program.Const(end)}}},
		},
	}}
	ranges, err := program.Analyse(p)
	if err != nil {
		t.Fatal(err)
	}
	cells := ranges.Access[&p.Threads[0].Edges[1].Cmd]
	if len(cells) != n {
		t.Errorf("%d cells are written, not %d; the pointer is %v", len(cells), n, ranges.Reg[0][0])
	}
	for _, c := range cells {
		if a := ranges.Cells[c].Addr; (a-1008)%size != 0 {
			t.Errorf("[%d] is written", a)
			break
		}
	}
}

// TestBeforeAsserts: of assertions with tags it is known what registers hold there, though they hold something else elsewhere.
func TestBeforeAsserts(t *testing.T) {
	r := program.Reg(0)
	asks := program.Command{Op: program.Assert, Value: program.Binary{Op: program.BitOr, X: r, Y: program.Const(1)}, Tags: program.NewTags("ask")}
	set := func(k int64) program.Command {
		return program.Command{Op: program.Assign, Reg: 0, Value: program.Const(k)}
	}
	p := &program.Program{Name: "asserts", Default: program.Int32Type, Threads: []*program.Thread{{
		Name:   "P0",
		Regs:   []program.Register{{Name: "r", Type: program.Int32Type}},
		States: []program.State{{Name: "q0"}, {Name: "q1"}, {Name: "q2"}, {Name: "q3"}, {Name: "q4"}, {Name: "q5"}},
		Edges: []program.Edge{
			{From: 0, To: 1, Cmd: set(3)},
			{From: 0, To: 1, Cmd: set(5)},
			{From: 1, To: 2, Cmd: asks},
			{From: 2, To: 3, Cmd: set(7)},
			{From: 3, To: 4, Cmd: asks},
			{From: 5, To: 4, Cmd: asks},
		},
	}}}
	ranges, err := program.Analyse(p)
	if err != nil {
		t.Fatal(err)
	}
	e := program.Binary{Op: program.Add, X: r, Y: program.Const(1)}
	for i, want := range map[int]string{2: "{4, 6}", 4: "{8}", 5: "{}"} {
		if got := ranges.At(&p.Threads[0].Edges[i].Cmd, e).String(); got != want {
			t.Errorf("edge %d: %s, want %s", i, got, want)
		}
	}
}
