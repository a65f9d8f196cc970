package randprog_test

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/fencepost-verifier/fencepost/internal/randprog"
	"github.com/fencepost-verifier/fencepost/program"
)

func rng(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }

var everything = randprog.Options{Assert: 1, CountLoop: 1, WaitLoop: 1, StoreLoop: 1, Deadlock: 1, Assume: 1, Start: 30, Unsigned: 25, DataDep: 90}

var shapes = map[string]randprog.Options{
	"default":    {},
	"everything": everything,
	"plain":      {Plain: true, CountLoop: 2},
	"large": {Threads: randprog.Range{4, 4}, Addresses: randprog.Range{8, 8}, Commands: randprog.Range{20, 30}, Values: 100, Assert: 1,
		CountLoop: 1, WaitLoop: 1, StoreLoop: 1, AddrDep: 100, DataDep: 100},
	"ring": {Threads: randprog.Range{3, 3}, Addresses: randprog.Range{3, 4}, Values: 1000, Ring: 80},
	"small": {Threads: randprog.Range{1, 1}, Addresses: randprog.Range{1, 1}, Commands: randprog.Range{1, 1}, Values: -1, MaxIterations: -1,
		CountLoop: 1, RMW: -1, NoProperty: -1, Forbid: -1, Exists: -1, Forall: -1},
}

func TestSanity(t *testing.T) {
	for name, opt := range shapes {
		for seed := range uint64(2000) {
			if err := program.Sanity(randprog.New(rng(seed), opt)); err != nil {
				t.Fatalf("%s, seed %d: %v", name, seed, err)
			}
		}
	}
}

func TestDeterminism(t *testing.T) {
	distinct := 0
	for seed := range uint64(200) {
		a, b := randprog.New(rng(seed), everything), randprog.New(rng(seed), everything)
		if !reflect.DeepEqual(a, b) {
			t.Fatalf("seed %d gives two programs", seed)
		}
		if !reflect.DeepEqual(a, randprog.New(rng(seed+1), everything)) {
			distinct++
		}
	}
	if distinct < 195 {
		t.Errorf("only %d of 200 seeds give a program unlike their successor's", distinct)
	}
}

// features counts the programs in which each construct occurs.
func features(opt randprog.Options, programs int) map[string]int {
	count := map[string]int{}
	for seed := range uint64(programs) {
		p := randprog.New(rng(seed), opt)
		seen := map[string]bool{}
		for _, pr := range p.Properties {
			seen["property "+pr.Kind.String()] = true
			program.Walk(pr.Cond, func(e program.Expr) {
				switch e.(type) {
				case program.Mem:
					seen["property mem"] = true
				case program.ThreadReg:
					seen["property register"] = true
				case program.At:
					seen["property label"] = true
				}
			})
		}
		if len(p.Properties) == 0 {
			seen["no property"] = true
		}
		for _, c := range p.Memory {
			seen["cell "+c.Type.String()] = true
			seen["cell init"] = seen["cell init"] || c.Init != 0
		}
		for _, th := range p.Threads {
			threadFeatures(th, seen)
		}
		for f, ok := range seen {
			if ok {
				count[f]++
			}
		}
	}
	return count
}

func threadFeatures(t *program.Thread, seen map[string]bool) {
	for _, r := range t.Regs {
		seen["register "+r.Type.String()] = true
		seen["register init"] = seen["register init"] || r.Init != 0
	}
	for i := range t.Edges {
		if onCycle(t, &t.Edges[i]) {
			seen["loop"] = true
			seen["loop that stores"] = seen["loop that stores"] || t.Edges[i].Cmd.Stores()
		}
	}
	for q := range t.States {
		seen[t.States[q].Kind.String()] = true
	}
	for _, out := range t.Out() {
		if len(out) == 2 {
			a, b := &t.Edges[out[0]].Cmd, &t.Edges[out[1]].Cmd
			exclusive := a.Op == program.Check && reflect.DeepEqual(b.Value, program.NotExpr(a.Value))
			if exclusive {
				seen["branch"] = true
			} else if a.Op == program.Check && b.Op == program.Check {
				seen["non-exclusive choice"] = true
			}
			if a.Op == program.Atomic && b.Op == program.Atomic && t.Edges[out[0]].To != t.Edges[out[1]].To {
				seen["atomic with two ends"] = true
			}
		}
	}
	commands := func(c *program.Command) {
		seen[c.Op.String()] = true
		if c.Addr != nil {
			if _, constant := c.Addr.(program.Const); !constant {
				seen["address dependency"] = true
			}
		}
		if c.Op == program.Store {
			if _, constant := c.Value.(program.Const); !constant {
				seen["data dependency"] = true
			}
		}
		program.Walk(c.Value, func(e program.Expr) {
			switch e := e.(type) {
			case program.Unary:
				seen["unary "+e.Op.String()] = true
			case program.Binary:
				seen["binary "+e.Op.String()] = true
			}
		})
	}
	for i := range t.Edges {
		c := &t.Edges[i].Cmd
		commands(c)
		if c.Text != "" {
			seen[c.Text] = true
		}
		for j := range c.Body {
			commands(&c.Body[j])
			if c.Text == "" && c.Body[j].Op == program.Check {
				seen["atomic with check"] = true
			}
		}
	}
}

func onCycle(t *program.Thread, e *program.Edge) bool {
	out := t.Out()
	visited := map[program.StateID]bool{}
	var reaches func(q program.StateID) bool
	reaches = func(q program.StateID) bool {
		if q == e.From {
			return true
		}
		if visited[q] {
			return false
		}
		visited[q] = true
		for _, i := range out[q] {
			if reaches(t.Edges[i].To) {
				return true
			}
		}
		return false
	}
	return reaches(e.To)
}

func TestDistribution(t *testing.T) {
	const n = 2000
	got := features(everything, n)
	var want []string
	for op := program.Check; op <= program.Atomic; op++ {
		want = append(want, op.String())
	}
	for op := program.Neg; op <= program.LogicalNot; op++ {
		want = append(want, "unary "+op.String())
	}
	for op := program.Add; op <= program.LogicalOr; op++ {
		want = append(want, "binary "+op.String())
	}
	want = append(want, "unstarted", "given up", "register uint64", "cell uint64", "cas", "xchg", "fetch_add", "atomic with check", "atomic with two ends",
		"branch", "non-exclusive choice", "loop", "loop that stores",
		"address dependency", "data dependency",
		"register bool", "register int8", "register int32", "register init",
		"cell bool", "cell int8", "cell int32", "cell init",
		"no property", "property forbid", "property exists", "property forall", "property forbid deadlock",
		"property mem", "property register", "property label")
	for _, f := range want {
		if got[f] < n/40 {
			t.Errorf("%s in %d of %d programs", f, got[f], n)
		}
	}
}

func TestNever(t *testing.T) {
	got := features(randprog.Options{
		Fence: -1, RMW: -1, Atomic: -1, Havoc: -1, Branch: -1, Lock: -1, AddrDep: -1, DataDep: -1,
		NoProperty: -1, Exists: -1, Forall: -1, Plain: true,
	}, 500)
	for _, f := range []string{
		"fence", "cas", "xchg", "fetch_add", "atomic", "havoc", "check", "lock", "unlock", "assert", "loop",
		"address dependency", "data dependency", "register bool", "cell bool", "register init", "cell init",
		"no property", "property exists", "property forall", "property forbid deadlock",
	} {
		if got[f] > 0 {
			t.Errorf("%s in %d programs", f, got[f])
		}
	}
}

// machine runs a program under SC, with a free choice at every step.
type machine struct {
	t    *testing.T
	p    *program.Program
	rng  *rand.Rand
	pc   []program.StateID
	regs [][]int64
	mem  map[int64]int64
	seen map[int64]bool // every value stored
	lock int            // the thread that holds it, or -1
}

func newMachine(t *testing.T, p *program.Program, seed uint64) *machine {
	m := &machine{t: t, p: p, rng: rng(seed), mem: map[int64]int64{}, seen: map[int64]bool{}, lock: -1}
	for _, th := range p.Threads {
		m.pc = append(m.pc, th.Initial)
		var regs []int64
		for _, r := range th.Regs {
			regs = append(regs, r.Init)
		}
		m.regs = append(m.regs, regs)
	}
	for _, c := range p.Memory {
		m.mem[c.Addr] = c.Init
	}
	return m
}

// step takes some thread's some edge; it is false where none is enabled.
func (m *machine) step() bool {
	type choice struct{ thread, edge int }
	var choices []choice
	for ti, t := range m.p.Threads {
		if m.lock >= 0 && m.lock != ti {
			continue
		}
		for i := range t.Edges {
			if t.Edges[i].From == m.pc[ti] {
				choices = append(choices, choice{ti, i})
			}
		}
	}
	m.rng.Shuffle(len(choices), func(i, j int) { choices[i], choices[j] = choices[j], choices[i] })
	for _, c := range choices {
		e := &m.p.Threads[c.thread].Edges[c.edge]
		if !m.enabled(c.thread, &e.Cmd) {
			continue
		}
		m.run(c.thread, &e.Cmd)
		m.pc[c.thread] = e.To
		return true
	}
	return false
}

// enabled tries the checks out on a copy of the registers.
func (m *machine) enabled(ti int, c *program.Command) bool {
	trial := *m
	trial.regs = append([][]int64(nil), m.regs...)
	trial.regs[ti] = append([]int64(nil), m.regs[ti]...)
	trial.mem = map[int64]int64{}
	for a, v := range m.mem {
		trial.mem[a] = v
	}
	trial.rng = rand.New(rand.NewPCG(1, 1))
	return trial.run(ti, c)
}

func (m *machine) run(ti int, c *program.Command) bool {
	regs := m.regs[ti]
	eval := func(e program.Expr) int64 {
		return program.EvalRegs(e, regs)
	}
	set := func(v int64) { regs[c.Reg] = m.p.Threads[ti].Regs[c.Reg].Type.Wrap(v) }
	cell := func() *program.Cell {
		a := eval(c.Addr)
		i := m.p.CellAt(a)
		if i < 0 {
			m.t.Fatalf("%s accesses %d, which is not declared", c.Format(m.p, m.p.Threads[ti]), a)
		}
		return &m.p.Memory[i]
	}
	switch c.Op {
	case program.Check:
		return eval(c.Value) != 0
	case program.Assign:
		set(eval(c.Value))
	case program.Havoc:
		set(c.Lo + m.rng.Int64N(c.Hi-c.Lo+1))
	case program.Load:
		set(m.mem[cell().Addr])
	case program.Store:
		a := cell()
		m.mem[a.Addr] = a.Type.Wrap(eval(c.Value))
		m.seen[m.mem[a.Addr]] = true
	case program.Lock:
		if m.lock >= 0 {
			m.t.Fatal("a lock in a lock")
		}
		m.lock = ti
	case program.Unlock:
		if m.lock != ti {
			m.t.Fatal("an unlock without its lock")
		}
		m.lock = -1
	case program.Atomic:
		if m.lock >= 0 {
			m.t.Fatal("an atomic in a lock")
		}
		for i := range c.Body {
			if !m.run(ti, &c.Body[i]) {
				return false
			}
		}
	}
	return true
}

// TestRuns checks on runs what the options promise: declared addresses only,
// balanced locks, and an end.
func TestRuns(t *testing.T) {
	for seed := range uint64(1500) {
		p := randprog.New(rng(seed), randprog.Options{CountLoop: 2, Addresses: randprog.Range{1, 4}})
		m := newMachine(t, p, seed)
		for steps := 0; m.step(); steps++ {
			if steps > 1000 {
				t.Fatalf("seed %d: no end", seed)
			}
		}
	}
}

// TestEndlessRuns checks that programs with endless loops have few values.
func TestEndlessRuns(t *testing.T) {
	for seed := range uint64(300) {
		p := randprog.New(rng(seed), randprog.Options{StoreLoop: 6, WaitLoop: 2})
		m := newMachine(t, p, seed)
		for steps := 0; steps < 500 && m.step(); steps++ {
		}
		if len(m.seen) > 40 {
			t.Errorf("seed %d: %d values stored", seed, len(m.seen))
		}
	}
}

// TestReachesEnd guards against programs that are stuck from the start.
func TestReachesEnd(t *testing.T) {
	ended := 0
	const n = 1000
	for seed := range uint64(n) {
		p := randprog.New(rng(seed), randprog.Options{})
		m := newMachine(t, p, seed)
		for m.step() {
		}
		all := true
		for ti, th := range p.Threads {
			all = all && len(th.Out()[m.pc[ti]]) == 0
		}
		if all {
			ended++
		}
	}
	if ended < n*3/4 {
		t.Errorf("%d of %d runs end with every thread at its end", ended, n)
	}
}
