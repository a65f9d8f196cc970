package c_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/fencepost-verifier/fencepost/explore"
	"github.com/fencepost-verifier/fencepost/internal/randc"
	"github.com/fencepost-verifier/fencepost/lang/c"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

var (
	realCount = flag.Int("real", 50, "how many random C programs are compared with what a compiler makes of them")
	realSeed  = flag.Uint64("realseed", 0, "the seed of the first one")
	realAll   = flag.Bool("realall", false, "go on where there is a difference")
)

// compiled is what programs of random C compute by the compiler of this machine, nil for
// those on which it breaks.
func compiled(t *testing.T, before, optimise string, programs []randc.Program) [][]uint64 {
	cc, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("there is no C compiler here to compare with")
	}
	var b strings.Builder
	b.WriteString(before + "#include <stdio.h>\n") // which what is before may ask for more of
	for _, p := range programs {
		b.WriteString(p.Text)
	}
	b.WriteString("int main(void) {\n")
	for _, p := range programs {
		fmt.Fprintf(&b, "%s();\n", p.Name)
		for _, r := range p.Results {
			fmt.Fprintf(&b, "printf(\"%%lu \", %s);\n", r)
		}
		b.WriteString("puts(\"\");\n")
	}
	b.WriteString("return 0; }\n")
	dir := t.TempDir()
	src, exe := filepath.Join(dir, "all.c"), filepath.Join(dir, "all")
	if err := os.WriteFile(src, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	// What overflows wraps around; a variable that the program cannot change is none.
	if out, err := exec.Command(cc, "-std=gnu11", "-w", optimise, "-fwrapv", "-o", exe, src).CombinedOutput(); err != nil {
		if !bytes.Contains(out, []byte("internal compiler error")) {
			t.Fatalf("cc: %v\n%s", err, out)
		}
		if len(programs) == 1 {
			return [][]uint64{nil}
		}
		half := len(programs) / 2
		return append(compiled(t, before, optimise, programs[:half]), compiled(t, before, optimise, programs[half:])...)
	}
	out, err := exec.Command(exe).Output()
	if err != nil {
		t.Fatal(err)
	}
	var all [][]uint64
	for line := range bytes.Lines(out) {
		var vs []uint64
		for _, w := range bytes.Fields(line) {
			v, err := strconv.ParseUint(string(w), 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			vs = append(vs, v)
		}
		all = append(all, vs)
	}
	if len(all) != len(programs) {
		t.Fatalf("%d lines from %d programs", len(all), len(programs))
	}
	return all
}

// computed is what a program of random C computes as we read it: as the only thread or,
// searched, as another one. What main does before there are others is known when the
// program has been read.
func computed(before string, x randc.Program, other bool) ([]uint64, string, error) {
	main := "int main(void) { " + x.Name + "(); return 0; }\n"
	find := interpret
	if other {
		main = "#include <pthread.h>\nstatic void *other(void *arg) { " + x.Name + "(); return 0; }\n" +
			"int main(void) { pthread_t t; pthread_create(&t, 0, other, 0); pthread_join(t, 0); return 0; }\n"
		find = search
	}
	text := before + x.Text + main
	p, err := c.Parse(&program.Source{Name: "random.c", Text: text}, c.Options{})
	if err != nil {
		return nil, text, err
	}
	if err := program.Sanity(p); err != nil {
		return nil, text, err
	}
	mem, err := find(p)
	if err != nil {
		return nil, text, err
	}
	value := map[string]uint64{}
	for _, cell := range p.Memory {
		value[cell.Name] = uint64(mem[cell.Addr])
	}
	vs := make([]uint64, len(x.Results))
	for i, name := range x.Results {
		v, ok := value[name]
		if !ok {
			return nil, text, fmt.Errorf("there is no cell %s", name)
		}
		vs[i] = v
	}
	return vs, text, nil
}

// isResult is true of the name of a cell that counts: variables of functions may keep what one order of calls has left there.
func isResult(name string) bool { return !strings.Contains(name, ".") }

// search gives the memory at the end of a program that has one end, as far as it is one of C: places that lend themselves to variables of
// earlier rounds may hold what they will.
func search(p *program.Program) (map[int64]int64, error) {
	states, r, err := explore.FinalStates(context.Background(), p, explore.Options{Model: memory.SC})
	if err != nil {
		return nil, err
	}
	if len(states) == 0 || !r.Safe() {
		return nil, fmt.Errorf("%d final states, %v %v", len(states), r.Verdict(), r.Reason())
	}
	ranges, err := program.Analyse(p)
	if err != nil {
		return nil, err
	}
	for i, cell := range ranges.Cells {
		if isResult(cell.Name) && slices.ContainsFunc(states, func(s verdict.FinalState) bool { return s.Memory[i] != states[0].Memory[i] }) {
			return nil, fmt.Errorf("%d final states, of which %s is not the same", len(states), cell.Name)
		}
	}
	mem := map[int64]int64{}
	for i, cell := range ranges.Cells {
		mem[cell.Addr] = states[0].Memory[i]
	}
	return mem, nil
}

// interpret runs a program of one thread and gives the memory at its end. It is far
// faster than a search, which infers what values there are first. Where calls may be made in several orders, these
// have to make no difference.
func interpret(p *program.Program) (map[int64]int64, error) {
	mem, err := interpretOnce(p, false)
	if err != nil || !slices.ContainsFunc(p.Threads[0].Edges, func(e program.Edge) bool { return e.Cmd.Op == program.Havoc }) {
		return mem, err
	}
	other, err := interpretOnce(p, true)
	if err == nil && slices.ContainsFunc(p.Memory, func(c program.Cell) bool { return isResult(c.Name) && mem[c.Addr] != other[c.Addr] }) {
		err = errors.New("the order of calls makes a difference")
	}
	return mem, err
}

// interpretOnce runs a program that chooses the first of what it may choose, or the last.
func interpretOnce(p *program.Program, last bool) (map[int64]int64, error) {
	if len(p.Threads) != 1 {
		return nil, fmt.Errorf("%d threads", len(p.Threads))
	}
	th := p.Threads[0]
	mem := map[int64]int64{}
	types := map[int64]program.Type{}
	for _, cell := range p.Memory {
		mem[cell.Addr], types[cell.Addr] = cell.Init, cell.Type
	}
	regs := make([]int64, len(th.Regs))
	for i, r := range th.Regs {
		regs[i] = r.Init
	}
	out := make([][]*program.Edge, len(th.States))
	for i := range th.Edges {
		e := &th.Edges[i]
		out[e.From] = append(out[e.From], e)
	}
	env := &program.Env{Reg: func(r program.Reg) int64 { return regs[r] }}
	set := func(r int, v int64) { regs[r] = th.Regs[r].Type.Wrap(v) }
	var step func(c *program.Command) (bool, error)
	step = func(c *program.Command) (bool, error) {
		switch c.Op {
		case program.Check:
			return program.Eval(c.Value, env) != 0, nil
		case program.Assert:
			if program.Eval(c.Value, env) == 0 {
				return false, fmt.Errorf("line %d: %s", c.Pos.Line, c.Text)
			}
		case program.Assign:
			set(c.Reg, program.Eval(c.Value, env))
		case program.Load:
			a := program.Eval(c.Addr, env)
			if _, ok := types[a]; !ok {
				return false, fmt.Errorf("no cell at %d", a)
			}
			set(c.Reg, mem[a])
		case program.Store:
			a := program.Eval(c.Addr, env)
			t, ok := types[a]
			if !ok {
				return false, fmt.Errorf("no cell at %d", a)
			}
			mem[a] = t.Wrap(program.Eval(c.Value, env))
		case program.Fence:
		case program.Havoc:
			v := c.Lo
			if last {
				v = c.Hi
			}
			set(c.Reg, v)
		case program.Atomic:
			for i := range c.Body {
				if ok, err := step(&c.Body[i]); !ok || err != nil {
					return ok, err
				}
			}
		default:
			return false, fmt.Errorf("a step of kind %v", c.Op)
		}
		return true, nil
	}
	q := th.Initial
	for range 1 << 20 {
		if len(out[q]) == 0 {
			return mem, nil
		}
		moved := false
		for _, e := range out[q] {
			ok, err := step(&e.Cmd)
			if err != nil {
				return nil, fmt.Errorf("%w (line %d)", err, e.Pos.Line)
			}
			if ok {
				q, moved = e.To, true
				break
			}
		}
		if !moved {
			return nil, fmt.Errorf("stuck in %s", th.States[q].Name)
		}
	}
	return nil, errors.New("it does not end")
}

// TestRealMachine compares what random programs of one thread compute with what they
// compute as compiled code.
func TestRealMachine(t *testing.T) {
	for _, kind := range []struct {
		name, before string
		optimise     string
		compared     int // how many of a hundred are, at least: there are programs that are refused, and such of which C leaves open what they do
		write        func(rng *rand.Rand, prefix string) randc.Program
	}{
		{"expressions", randc.Types, "-O0", 97, func(rng *rand.Rand, prefix string) randc.Program { return randc.New(rng, prefix, randc.All) }},
		{"pieces", randc.Headers + randc.Types, "-O0", 33, randc.Pieces},
		// The compiler chooses other registers, and lets operands share them, where it optimises.
		{"assembly", randc.Types, "-O0", 90, randc.Assembly},
		{"assembly optimised", randc.Types, "-O2", 90, randc.Assembly},
	} {
		t.Run(kind.name, func(t *testing.T) {
			const batch = 200
			n, compared := *realCount, 0
			reasons := map[string]int{}
			if testing.Short() {
				n = min(n, 40)
			}
			for first := 0; first < n; first += batch {
				var programs []randc.Program
				for i := first; i < min(first+batch, n); i++ {
					seed := *realSeed + uint64(i)
					programs = append(programs, kind.write(rand.New(rand.NewPCG(seed, 0)), fmt.Sprintf("q%d_", seed)))
				}
				refused := compareReal(t, kind.before, kind.optimise, programs)
				for _, r := range refused {
					reasons[r]++
				}
				compared += len(programs) - len(refused)
				if ours := slices.DeleteFunc(slices.Clone(refused), excused); len(ours) > 0 && kind.name == "expressions" {
					t.Errorf("refused: %q", ours)
				}
				if t.Failed() && !*realAll {
					return
				}
			}
			t.Logf("%d of %d compared; refused: %v", compared, n, reasons)
			if compared < n*kind.compared/100 {
				t.Error("that is too few")
			}
		})
	}
}

const (
	// compilerBreaks is why a program is not compared that the compiler ends on with an error of its own.
	compilerBreaks = "the compiler breaks"
	// open is the end of why one is not that has values of which C leaves open which.
	open = "C leaves it open"
)

// excused is true of reasons that are none to read more of C.
func excused(why string) bool { return why == compilerBreaks || why == open }

// compareReal compares programs, two at a time, and says why others are not modelled.
func compareReal(t *testing.T, before, optimise string, programs []randc.Program) (refused []string) {
	want := compiled(t, before, optimise, programs)
	var wg sync.WaitGroup
	var mu sync.Mutex
	refuse := func(why string) {
		mu.Lock()
		defer mu.Unlock()
		refused = append(refused, why)
	}
	next := make(chan int)
	for range 2 {
		wg.Go(func() {
			for i := range next {
				p := programs[i]
				if want[i] == nil {
					refuse(compilerBreaks)
					continue
				}
				got, text, err := computed(before, p, i%10 == 7)
				if err != nil {
					if why := notModelled.FindString(err.Error()); why != "" {
						refuse(why)
						continue
					}
					t.Errorf("%s: %v\n%s", p.Name, err, text)
					continue
				}
				for k, v := range got {
					if v != want[i][k] {
						t.Errorf("%s: %s is %d, compiled %d\n%s", p.Name, p.Results[k], v, want[i][k], text)
						break
					}
				}
			}
		})
	}
	for i := range programs {
		next <- i
	}
	close(next)
	wg.Wait()
	return refused
}

// notModelled is how programs are refused that are not modelled.
var notModelled = regexp.MustCompile(`not modelled: [^\n(]*|is not modelled|none of the sizes|too large: what its values are|` + open + `|can be designated only in the outermost array`)
