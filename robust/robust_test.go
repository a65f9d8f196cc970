package robust_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/encode/bmc"
	"github.com/fencepost-verifier/fencepost/explore"
	"github.com/fencepost-verifier/fencepost/internal/enginetest"
	"github.com/fencepost-verifier/fencepost/internal/keys"
	"github.com/fencepost-verifier/fencepost/internal/randprog"
	"github.com/fencepost-verifier/fencepost/lang"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/replay"
	"github.com/fencepost-verifier/fencepost/robust"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// robustShapes are the kinds of random programs that robustness is tested on.
var robustShapes = []struct {
	name string
	opt  randprog.Options
	n    int
}{
	{"plain", randprog.Options{Plain: true, Lock: -1, Atomic: -1, RMW: -1, Havoc: -1, Branch: -1, Assign: -1, AddrDep: -1,
		Addresses: randprog.Range{Min: 2, Max: 2}, Commands: randprog.Range{Min: 2, Max: 4}}, 60},
	{"three", randprog.Options{Plain: true, Lock: -1, Atomic: -1, RMW: -1, Havoc: -1, Assign: -1, AddrDep: -1, Fence: -1, Branch: -1,
		Threads: randprog.Range{Min: 3, Max: 3}, Addresses: randprog.Range{Min: 2, Max: 2}, Commands: randprog.Range{Min: 2, Max: 3}}, 40},
	{"everything", randprog.Options{Commands: randprog.Range{Min: 3, Max: 5}, Threads: randprog.Range{Min: 2, Max: 2}, Assert: 1}, 100},
	{"addresses", randprog.Options{Lock: -1, AddrDep: 60, RMW: 4, Threads: randprog.Range{Min: 2, Max: 2}, Commands: randprog.Range{Min: 3, Max: 4}}, 40},
	{"locks", randprog.Options{Lock: 4, Havoc: -1, Branch: 1, RMW: -1, Atomic: -1, Assign: -1, Fence: -1, Load: 8, Store: 8,
		Commands: randprog.Range{Min: 2, Max: 4}, Addresses: randprog.Range{Min: 2, Max: 2}}, 40},
	{"loops", randprog.Options{CountLoop: 3, Threads: randprog.Range{Min: 2, Max: 2}, Fence: -1, RMW: -1, Atomic: -1, Lock: -1, Branch: -1,
		Addresses: randprog.Range{Min: 2, Max: 2}, Commands: randprog.Range{Min: 3, Max: 4}}, 30},
}

// TestRobustBruteForce compares Robust with all computations under TSO: the
// happens-before relation of every one must be that of one under SC.
func TestRobustBruteForce(t *testing.T) {
	for _, sh := range robustShapes {
		t.Run(sh.name, func(t *testing.T) {
			t.Parallel()
			var counts [3]int
			for seed := range uint64(sh.n) {
				p := randprog.New(rand.New(rand.NewPCG(seed, 21)), sh.opt)
				want, err := bruteRobust(p, 6_000)
				if errors.Is(err, errTooMany) {
					counts[verdict.IsUnknown]++
					continue
				}
				if err != nil {
					t.Fatal(err)
				}
				r, err := robust.Check(context.Background(), p, robust.Options{})
				if err != nil {
					t.Fatalf("seed %d: %v\n%s", seed, err, enginetest.Text(p))
				}
				if r.Verdict() != want {
					t.Fatalf("seed %d: %s; by brute force %s\n%s", seed, r.Verdict(), want, enginetest.Text(p))
				}
				counts[want]++
				if err := checkWitness(p, r); err != nil {
					t.Fatalf("seed %d: %v\n%s", seed, err, enginetest.Text(p))
				}
			}
			t.Logf("%d robust, %d not robust, %d too large", counts[verdict.IsSafe], counts[verdict.IsUnsafe], counts[verdict.IsUnknown])
			if counts[verdict.IsSafe] < sh.n/10 || counts[verdict.IsUnsafe] < 3 {
				t.Error("the programs are too much alike")
			}
		})
	}
}

// TestRobustEnginesAgree compares the search with the formula.
func TestRobustEnginesAgree(t *testing.T) {
	for _, sh := range robustShapes {
		t.Run(sh.name, func(t *testing.T) {
			t.Parallel()
			opt := sh.opt
			opt.Commands.Max += 2
			undecided, not := 0, 0
			for seed := range uint64(sh.n) {
				p := randprog.New(rand.New(rand.NewPCG(seed, 23)), opt)
				x, err := robust.Check(context.Background(), p, robust.Options{})
				if err != nil {
					t.Fatalf("seed %d: %v\n%s", seed, err, enginetest.Text(p))
				}
				b, err := robust.Unrolled(context.Background(), p, bmc.Options{Unroll: 6})
				if err != nil {
					t.Fatalf("seed %d: %v\n%s", seed, err, enginetest.Text(p))
				}
				switch {
				case b.Verdict() == verdict.IsUnknown:
					undecided++
				case x.Verdict() != b.Verdict():
					t.Fatalf("seed %d: %s by search, %s by formula\n%s", seed, x.Verdict(), b.Verdict(), enginetest.Text(p))
				case x.Verdict() == verdict.IsUnsafe:
					not++
					if err := checkWitness(p, b); err != nil {
						t.Fatalf("seed %d: %v\n%s", seed, err, enginetest.Text(p))
					}
				}
			}
			t.Logf("%d not robust, %d undecided", not, undecided)
			if undecided > sh.n/10 {
				t.Errorf("%d of %d programs undecided", undecided, sh.n)
			}
		})
	}
}

// TestRobustSymmetry is the same for programs with equal threads, whose states the
// search takes for one if they differ in the threads' names.
func TestRobustSymmetry(t *testing.T) {
	var counts [3]int
	for seed := range uint64(150) {
		p := randprog.New(rand.New(rand.NewPCG(seed, 25)), randprog.Options{Threads: randprog.Range{Min: 2, Max: 2},
			Addresses: randprog.Range{Min: 2, Max: 2}, Commands: randprog.Range{Min: 2, Max: 4}, Fence: -1})
		for i := range 1 + seed%2 {
			twin := *p.Threads[seed%3%2]
			twin.Name += fmt.Sprint("'", i)
			p.Threads = append(p.Threads, &twin)
		}
		x, err := robust.Check(context.Background(), p, robust.Options{})
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, enginetest.Text(p))
		}
		b, err := robust.Unrolled(context.Background(), p, bmc.Options{})
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, enginetest.Text(p))
		}
		if x.Verdict() != b.Verdict() {
			t.Fatalf("seed %d: %s by search, %s by formula\n%s", seed, x.Verdict(), b.Verdict(), enginetest.Text(p))
		}
		if err := checkWitness(p, x); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, enginetest.Text(p))
		}
		counts[x.Verdict()]++
	}
	if counts[verdict.IsSafe] < 30 || counts[verdict.IsUnsafe] < 4 {
		t.Errorf("the programs are too much alike: %v", counts)
	}
}

// TestRobustLoops: with loops that may store for ever, the search still answers,
// and the formula agrees as far as it gets.
func TestRobustLoops(t *testing.T) {
	var counts [3]int
	agreed := 0
	for seed := range uint64(200) {
		p := randprog.New(rand.New(rand.NewPCG(seed, 26)), randprog.Options{StoreLoop: 2, WaitLoop: 2, Fence: -1, Lock: -1, RMW: -1, Atomic: -1,
			Threads: randprog.Range{Min: 2, Max: 2}, Addresses: randprog.Range{Min: 2, Max: 2}, Commands: randprog.Range{Min: 3, Max: 5}})
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		x, err := robust.Check(ctx, p, robust.Options{})
		cancel()
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, enginetest.Text(p))
		}
		counts[x.Verdict()]++
		if err := checkWitness(p, x); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, enginetest.Text(p))
		}
		b, err := robust.Unrolled(context.Background(), p, bmc.Options{Unroll: 3})
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, enginetest.Text(p))
		}
		switch {
		case b.Verdict() == verdict.IsUnknown:
		case b.Verdict() != x.Verdict() && x.Verdict() != verdict.IsUnknown:
			t.Fatalf("seed %d: %s by search, %s by formula\n%s", seed, x.Verdict(), b.Verdict(), enginetest.Text(p))
		case b.Verdict() == verdict.IsUnsafe:
			agreed++
		}
	}
	t.Logf("%v, %d agreed", counts, agreed)
	if counts[verdict.IsSafe] < 30 || agreed < 5 {
		t.Errorf("the programs are too much alike: %v, %d agreed", counts, agreed)
	}
}

// checkWitness checks the evidence of r against the definitions of the models.
func checkWitness(p *program.Program, res *verdict.RobustResult) error {
	r := res.Evidence()
	if r == nil {
		return nil
	}
	system, err := replay.New(p, memory.TSO, nil)
	if err != nil {
		return err
	}
	again, err := system.Trace(replay.Schedule(r.Run))
	if err != nil || !reflect.DeepEqual(again, r.Run) {
		return fmt.Errorf("the run does not replay: %v", err)
	}
	if len(r.Cycle) < 2 {
		return errors.New("no cycle")
	}
	for i, e := range r.Cycle {
		if r.Cycle[(i+1)%len(r.Cycle)].From != e.To {
			return fmt.Errorf("the cycle is torn: %+v", r.Cycle)
		}
	}
	// The execution is one of TSO and none of SC; of fences it has none.
	for m, allows := range map[memory.Model]bool{memory.TSO: true, memory.SC: false} {
		def, err := memory.Load(m)
		if err != nil {
			return err
		}
		if (len(def.Check(r.Execution)) == 0) != allows {
			return fmt.Errorf("the execution and %s: %v", m, def.Check(r.Execution))
		}
	}
	for _, e := range r.Cycle {
		if !slices.Contains(r.Accesses, e.From) || len(r.Accesses) != len(r.Execution.Events) {
			return fmt.Errorf("the execution has not all of the cycle: %+v", r.Accesses)
		}
	}
	if r.Attack == nil {
		return nil
	}
	edges := p.Threads[r.Attack.Thread].Edges
	if edges[r.Attack.Store].Cmd.Op != program.Store || edges[r.Attack.Load].Cmd.Op != program.Load {
		return fmt.Errorf("the attack is %+v", *r.Attack)
	}
	return nil
}

var errTooMany = errors.New("too many computations")

// brute enumerates the computations of a program under TSO up to the order of
// independent events: states together with their happens-before relation.
type brute struct {
	x      *abstract.System
	sc     *memory.Definition
	seen   map[string]bool
	judged map[string]bool
	limit  int
}

// history is a computation.
type history struct {
	s       *abstract.State
	events  []memory.Event
	rf      []int   // by event; -1: the initial value
	co      [][]int // by cell
	pending [][]int // by thread
	section []int   // by thread, 0: none
	blocks  int
	trace   []string // by thread: what it did
}

func bruteRobust(p *program.Program, limit int) (verdict.Verdict, error) {
	r, err := program.Analyse(p)
	if err != nil {
		return 0, err
	}
	x, err := abstract.New(p, r, abstract.FIFO{}, 0)
	if err != nil {
		return 0, err
	}
	sc, err := memory.Load(memory.SC)
	if err != nil {
		return 0, err
	}
	b := &brute{x: x, sc: sc, seen: map[string]bool{}, judged: map[string]bool{}, limit: limit}
	h := &history{s: x.NewState(), co: make([][]int, len(r.Cells)), pending: make([][]int, len(p.Threads)),
		section: make([]int, len(p.Threads)), trace: make([]string, len(p.Threads))}
	x.Initial(h.s)
	ok, err := b.visit(h)
	if err != nil {
		return 0, err
	}
	if !ok {
		return verdict.IsUnsafe, nil
	}
	return verdict.IsSafe, nil
}

func (h *history) clone(x *abstract.System) *history {
	c := *h
	c.s = x.NewState()
	c.s.Copy(h.s)
	c.events, c.rf, c.section, c.trace = slices.Clone(h.events), slices.Clone(h.rf), slices.Clone(h.section), slices.Clone(h.trace)
	c.co, c.pending = slices.Clone(h.co), slices.Clone(h.pending)
	for i := range c.co {
		c.co[i] = slices.Clone(c.co[i])
	}
	for i := range c.pending {
		c.pending[i] = slices.Clone(c.pending[i])
	}
	return &c
}

// name is an event independent of the order of the computation.
func (h *history) name(e int) string {
	if e < 0 {
		return "i"
	}
	return fmt.Sprintf("%d.%d", h.events[e].Thread, h.events[e].Index)
}

// relation is the happens-before relation as a string.
func (h *history) relation() string {
	var b strings.Builder
	for t, tr := range h.trace {
		fmt.Fprintf(&b, "%d:%s;", t, tr)
	}
	for _, ws := range h.co {
		b.WriteByte('/')
		for _, w := range ws {
			b.WriteString(h.name(w) + " ")
		}
	}
	return b.String()
}

func (b *brute) visit(h *history) (ok bool, err error) {
	key := keys.State(h.s) + h.relation()
	if b.seen[key] {
		return true, nil
	}
	b.seen[key] = true
	if len(b.seen) > b.limit {
		return false, errTooMany
	}
	drained := true
	for t := range h.pending {
		drained = drained && len(h.pending[t]) == 0
	}
	if rel := h.relation(); drained && !b.judged[rel] {
		b.judged[rel] = true
		if !b.sc.Consistent(h.graph(b.x)) {
			return false, nil
		}
	}
	for t := range h.pending {
		if b.x.Flushes(h.s, t) > 0 {
			n := h.clone(b.x)
			w := n.pending[t][0]
			n.pending[t] = n.pending[t][1:]
			c := n.s.Buf[t].Pairs[0].Cell
			n.co[c] = append(n.co[c], w)
			b.x.Step(n.s, abstract.Event{Thread: t, Edge: abstract.Flush})
			if ok, err := b.visit(n); !ok || err != nil {
				return ok, err
			}
		}
		for _, e := range b.x.Out(t, h.s.PC[t]) {
			for c := range b.x.Choices(t, e) {
				ev := abstract.Event{Thread: t, Edge: e, Choice: c}
				n := h.clone(b.x)
				if b.x.Step(n.s, ev) != abstract.Done {
					continue
				}
				n.record(b.x, h.s, ev)
				if ok, err := b.visit(n); !ok || err != nil {
					return ok, err
				}
			}
		}
	}
	return true, nil
}

// record adds the accesses of ev, which was taken in s.
func (h *history) record(x *abstract.System, s *abstract.State, ev abstract.Event) {
	t := ev.Thread
	cmd := &x.Program.Threads[t].Edges[ev.Edge].Cmd
	h.trace[t] += fmt.Sprintf("%d,%d ", ev.Edge, ev.Choice)
	body := []program.Command{*cmd}
	block := h.section[t]
	switch cmd.Op {
	case program.Lock:
		h.blocks++
		h.section[t] = t + 1 + 100*h.blocks
	case program.Unlock:
		h.section[t] = 0
	case program.Atomic:
		body = cmd.Body
		if block == 0 {
			h.blocks++
			block = t + 1 + 100*h.blocks
		}
	}
	regs := slices.Clone(s.Regs[t])
	mem := slices.Clone(s.Mem)
	choice := ev.Choice
	for i := range body {
		c := &body[i]
		switch c.Op {
		case program.Assign:
			regs[c.Reg] = x.Program.Threads[t].Regs[c.Reg].Type.Wrap(program.EvalRegs(c.Value, regs))
		case program.Havoc:
			radix := c.Hi - c.Lo + 1
			regs[c.Reg] = x.Program.Threads[t].Regs[c.Reg].Type.Wrap(c.Lo + choice%radix)
			choice /= radix
		case program.Load, program.Store:
			cell := x.Ranges.CellIndex(program.EvalRegs(c.Addr, regs))
			e := memory.Event{Thread: t, Kind: memory.Read, Addr: x.Ranges.Cells[cell].Addr, Tags: c.EventTags(program.X86, cmd.Op == program.Atomic), Block: block}
			for _, o := range h.events {
				if o.Thread == t {
					e.Index++
				}
			}
			id, src := len(h.events), -1
			if c.Op == program.Store {
				e.Kind = memory.Write
				e.Value = x.Ranges.Cells[cell].Type.Wrap(program.EvalRegs(c.Value, regs))
				mem[cell] = e.Value
				if cmd.Op == program.Atomic {
					h.co[cell] = append(h.co[cell], id)
				} else {
					h.pending[t] = append(h.pending[t], id)
				}
			} else {
				if ws := h.co[cell]; len(ws) > 0 {
					src = ws[len(ws)-1]
				}
				e.Value = mem[cell]
				for _, w := range h.pending[t] {
					if h.events[w].Addr == e.Addr {
						src, e.Value = w, h.events[w].Value
					}
				}
				regs[c.Reg] = x.Program.Threads[t].Regs[c.Reg].Type.Wrap(e.Value)
				h.trace[t] += "<" + h.name(src) + " "
			}
			h.events = append(h.events, e)
			h.rf = append(h.rf, src)
		}
	}
}

func (h *history) graph(x *abstract.System) *memory.Graph {
	g := &memory.Graph{}
	var initial []int
	for _, c := range x.Ranges.Cells {
		initial = append(initial, g.Add(memory.Event{Thread: memory.InitialThread, Kind: memory.Write, Addr: c.Addr, Value: c.Init}))
	}
	n := len(initial)
	for _, e := range h.events {
		g.Add(e)
	}
	for e, src := range h.rf {
		if h.events[e].Kind != memory.Read {
			continue
		}
		if src >= 0 {
			g.RF.Add(n+src, n+e)
		} else {
			g.RF.Add(initial[x.Ranges.CellIndex(h.events[e].Addr)], n+e)
		}
	}
	for c, ws := range h.co {
		order := []int{initial[c]}
		for _, w := range ws {
			order = append(order, n+w)
		}
		g.Order(order...)
	}
	return g
}

// TestRobustFinalStates: a robust program ends in the same states under SC and
// under TSO.
func TestRobustFinalStates(t *testing.T) {
	same := 0
	for seed := range uint64(400) {
		p := randprog.New(rand.New(rand.NewPCG(seed, 22)), randprog.Options{CountLoop: 1, WaitLoop: 1, Fence: 3, Commands: randprog.Range{Min: 3, Max: 6}})
		r, err := robust.Check(context.Background(), p, robust.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if r.Verdict() != verdict.IsSafe {
			continue
		}
		same++
		var states [2][]verdict.FinalState
		for i, m := range []memory.Model{memory.SC, memory.TSO} {
			if states[i], _, err = explore.FinalStates(context.Background(), p, explore.Options{Model: m}); err != nil {
				t.Fatal(err)
			}
		}
		if !reflect.DeepEqual(states[0], states[1]) {
			t.Fatalf("seed %d is called robust:\n%s", seed, enginetest.Text(p))
		}
	}
	if same < 50 {
		t.Errorf("only %d programs are robust", same)
	}
}

func TestRobustExamples(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       verdict.Verdict
	}{
		{"early read", "thread a\ninitial q\ntransition q r write 1 0\ntransition r s read x 0\nend\n" +
			"thread b\ninitial q\ntransition q r write 2 0\nend\n", verdict.IsSafe},
		{"store buffering", "thread a\ninitial q\ntransition q r write 1 0\ntransition r s read x 1\nend\n" +
			"thread b\ninitial q\ntransition q r write 1 1\ntransition r s read x 0\nend\n", verdict.IsUnsafe},
		{"fenced", "thread a\ninitial q\ntransition q r write 1 0\ntransition r r1 mfence\ntransition r1 s read x 1\nend\n" +
			"thread b\ninitial q\ntransition q r write 1 1\ntransition r r1 mfence\ntransition r1 s read x 0\nend\n", verdict.IsSafe},
		{"endless loops", "thread a\ninitial q\ntransition q q write 1 0\ntransition q q read x 1\nend\n" +
			"thread b\ninitial q\ntransition q q read y 0\ntransition q q write y 2\nend\n", verdict.IsSafe},
	} {
		p, err := lang.Parse(&program.Source{Name: c.name + ".txt", Text: c.text}, nil)
		if err != nil {
			t.Fatal(err)
		}
		r, err := robust.Check(context.Background(), p, robust.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if r.Verdict() != c.want {
			t.Errorf("%s: %s", c.name, r.Verdict())
		}
		if err := checkWitness(p, r); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// TestEvident: what the automata show to be robust is, and of the examples some are shown to be.
func TestEvident(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(enginetest.Examples(), "*.imp"))
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	evident := 0
	for _, file := range files {
		p, err := lang.Load(file, nil)
		if err != nil {
			t.Fatal(err)
		}
		r, err := program.Analyse(p)
		if err != nil {
			t.Fatal(err)
		}
		if !robust.Evident(p, r) {
			continue
		}
		evident++
		if res, err := robust.Check(t.Context(), p, robust.Options{}); err != nil || res.Verdict() == verdict.IsUnsafe {
			t.Errorf("%s: %v, %v", file, res, err)
		}
	}
	if evident < 10 {
		t.Errorf("%d examples are evidently robust", evident)
	}
}

// soonOver is a context that ends when it has been asked so many times whether it has.
type soonOver struct {
	context.Context
	left *int
}

func (c soonOver) Err() error {
	if *c.left == 0 {
		return context.Canceled
	}
	*c.left--
	return nil
}

// TestStoppedEarly: a search that ends while it is found out what there is to look for misses no witness without saying so.
func TestStoppedEarly(t *testing.T) {
	missed := 0
	for seed := range uint64(60) {
		p := randprog.New(rand.New(rand.NewPCG(seed, 27)), robustShapes[0].opt)
		r, err := program.Analyse(p)
		if err != nil {
			t.Fatal(err)
		}
		whole, err := robust.Check(t.Context(), p, robust.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for left := range 12 {
			s, err := robust.NewSearch(p, r, verdict.Robustness, robust.Options{})
			if err != nil {
				t.Fatal(err)
			}
			ctx := soonOver{t.Context(), &left}
			w, err := s.Find(ctx)
			if err != nil {
				t.Fatal(err)
			}
			gap, _ := s.Gap(ctx)
			if w == nil && gap == "" && whole.Verdict() != verdict.IsSafe {
				t.Fatalf("seed %d: nothing is found, nor left out, and it is %s\n%s", seed, whole.Verdict(), enginetest.Text(p))
			}
			if w == nil && gap != "" && whole.Verdict() == verdict.IsUnsafe {
				missed++
			}
		}
	}
	if missed < 20 {
		t.Errorf("no more than %d were stopped before they found something", missed)
	}
}
