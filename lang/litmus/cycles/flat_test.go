package cycles

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/explore/graphs"
	"github.com/fencepost-verifier/fencepost/lang/litmus"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// The machine below is the textbook's for multicopy atomic processors that execute out of
// order (Pulte, Flur, Deacon, French, Sarkar and Sewell, "Simplifying ARM concurrency", 2018:
// the Flat model), on the straight threads that cycles make. There is one memory. A thread
// satisfies a load as soon as its address is known and nothing before it forbids that,
// speculatively, from its own last store to the location that is not in memory yet, or from
// memory. A store goes to memory when nothing before it can be restarted any more. A load
// that would be restarted ends the run: there is another one in which it comes later.

// An instr is an instruction of the machine.
type instr struct {
	op         byte // R, W, F (a fence), B (a branch), I (an instruction barrier)
	loc, val   int
	id         int // of a write, from 1 on; of a read, its number among the reads of the test
	acq, rel   bool
	rcsc       bool  // an acquire that waits for releases
	addr, data int   // the read that it depends on, or -1; of a branch data
	pred       uint8 // of a fence: what it waits for
	succ       uint8 // what waits for it
	tso        bool
}

// machine is a test for the machine.
type machine struct {
	threads [][]instr
	locs    int
	writes  []int // values by id
	reads   int
}

// flatten makes the instructions of a cycle; false where the machine has none of them.
func flatten(c *Cycle) (m *machine, ok bool) {
	c, _ = c.family()
	as, n, locs := c.place()
	m = &machine{threads: make([][]instr, n), locs: locs, writes: []int{0}}
	var before *deco
	last := -1 // the read before, in its thread
	for _, a := range as {
		t := &m.threads[a.thread]
		in := instr{op: 'R', loc: a.loc, val: a.val, addr: -1, data: -1}
		if before != nil {
			switch before.dep {
			case "addr":
				in.addr = last
			case "data":
				in.data = last
			case "ctrl":
				*t = append(*t, instr{op: 'B', data: last, addr: -1})
			}
			if f := before.fence; f != "" {
				b := instr{op: 'F', addr: -1, data: -1}
				switch {
				case f == "ISB":
					b.op = 'I'
				case f == "fence.i": // which orders no accesses to memory
				case f == "DMB SY":
					b.pred, b.succ = both, both
				case f == "DMB LD":
					b.pred, b.succ = reads, both
				case f == "DMB ST":
					b.pred, b.succ = writes, writes
				case f == "fence.tso":
					b.pred, b.succ, b.tso = both, both, true
				case strings.HasPrefix(f, "fence "):
					p, s, _ := strings.Cut(strings.TrimPrefix(f, "fence "), ",")
					set := func(s string) (x uint8) {
						if strings.Contains(s, "r") {
							x |= reads
						}
						if strings.Contains(s, "w") {
							x |= writes
						}
						return x
					}
					b.pred, b.succ = set(p), set(s)
				default:
					return nil, false
				}
				*t = append(*t, b)
			}
		}
		switch mode := c.arch.mode(a.node).code; mode {
		case "":
		case "A":
			in.acq, in.rcsc = true, true
		case "Q", ".aq":
			in.acq = true
		case "L", ".rl":
			in.rel = true
		default:
			return nil, false
		}
		if a.kind == amo {
			return nil, false
		}
		if a.write {
			in.op = 'W'
			in.id = len(m.writes)
			m.writes = append(m.writes, a.val)
		} else {
			in.id = m.reads
			m.reads++
			last = len(*t)
		}
		*t = append(*t, in)
		before = nil
		if !a.kind.external() {
			before = c.arch.decoAt(a.node)
		}
	}
	return m, true
}

// A run is a state of the machine. Of each instruction: 0 not done, 1 done; of a read that is
// satisfied, 1 more than the write that it is from.
type run struct {
	done [][]byte
	mem  []byte // by location: the write
}

func (r *run) key() string {
	var b strings.Builder
	for _, d := range r.done {
		b.Write(d)
		b.WriteByte(255)
	}
	b.Write(r.mem)
	return b.String()
}

func (r *run) clone() *run {
	c := &run{mem: slices.Clone(r.mem)}
	for _, d := range r.done {
		c.done = append(c.done, slices.Clone(d))
	}
	return c
}

// outcomes is the values of the reads, in their order, and of memory, in all ends.
func (m *machine) outcomes() map[string]bool {
	start := &run{mem: make([]byte, m.locs)}
	for _, t := range m.threads {
		start.done = append(start.done, make([]byte, len(t)))
	}
	ends, seen := map[string]bool{}, map[string]bool{}
	var explore func(r *run)
	explore = func(r *run) {
		if k := r.key(); seen[k] {
			return
		} else {
			seen[k] = true
		}
		all := true
		for t, is := range m.threads {
			for i := range is {
				if r.done[t][i] != 0 {
					continue
				}
				all = false
				if next := m.step(r, t, i); next != nil {
					explore(next)
				}
			}
		}
		if all {
			ends[m.outcome(r)] = true
		}
	}
	explore(start)
	return ends
}

func (m *machine) outcome(r *run) string {
	vals := make([]int, m.reads)
	for t, is := range m.threads {
		for i, in := range is {
			if in.op == 'R' {
				vals[in.id] = m.writes[r.done[t][i]-1]
			}
		}
	}
	for _, w := range r.mem {
		vals = append(vals, m.writes[w])
	}
	return fmt.Sprint(vals)
}

// finished is whether a read is satisfied for good, or anything else is done.
func (m *machine) finished(r *run, t, i int) bool {
	is, done := m.threads[t], r.done[t]
	in := is[i]
	if done[i] == 0 {
		return false
	}
	if in.op != 'R' {
		return true
	}
	if in.addr >= 0 && !m.finished(r, t, in.addr) {
		return false
	}
	for j := range i {
		if is[j].op == 'B' && done[j] == 0 || is[j].op == 'R' && is[j].loc == in.loc && done[j] == 0 {
			return false
		}
	}
	return true
}

// settled is whether the address of an access is that for good.
func (m *machine) settled(r *run, t, i int) bool {
	a := m.threads[t][i].addr
	return a < 0 || m.finished(r, t, a)
}

// step is the state after an instruction has been done; nil where it cannot be, or where
// something is restarted.
func (m *machine) step(r *run, t, i int) *run {
	is, done := m.threads[t], r.done[t]
	in := is[i]
	class := map[byte]uint8{'R': reads, 'W': writes}
	for j := range i {
		b := is[j]
		// Nobody goes past what fences wait for, and past barriers.
		if b.op == 'F' && done[j] == 0 && b.succ&class[in.op] != 0 && !b.tso {
			return nil
		}
		if b.op == 'F' && b.tso && in.op != 'F' {
			for k := range j {
				if is[k].op == 'R' && !m.finished(r, t, k) || is[k].op == 'W' && in.op == 'W' && done[k] == 0 {
					return nil
				}
			}
		}
		if b.op == 'I' && done[j] == 0 && (in.op == 'R' || in.op == 'W') {
			return nil
		}
		if b.op == 'R' && b.acq && done[j] == 0 && in.op == 'R' {
			return nil
		}
	}
	n := r.clone()
	n.done[t][i] = 1
	switch in.op {
	case 'B':
		if !m.finished(r, t, in.data) {
			return nil
		}
	case 'I':
		for j := range i {
			if is[j].op == 'B' && done[j] == 0 || (is[j].op == 'R' || is[j].op == 'W') && !m.settled(r, t, j) {
				return nil
			}
		}
	case 'F':
		for j := range i {
			if in.pred&class[is[j].op] != 0 && !in.tso && !m.finished(r, t, j) {
				return nil
			}
		}
	case 'R':
		return m.satisfy(n, r, t, i)
	case 'W':
		for j := range i {
			b := is[j]
			access := b.op == 'R' || b.op == 'W'
			switch {
			case b.op == 'B' && done[j] == 0,
				access && !m.settled(r, t, j),
				b.op == 'R' && b.acq && !m.finished(r, t, j),
				access && in.rel && !m.finished(r, t, j),
				access && b.loc == in.loc && !m.finished(r, t, j):
				return nil
			}
		}
		for _, d := range []int{in.addr, in.data} {
			if d >= 0 && !m.finished(r, t, d) {
				return nil
			}
		}
		n.mem[in.loc] = byte(in.id)
	}
	return n
}

// satisfy is the state n, which is r with the read done.
func (m *machine) satisfy(n, r *run, t, i int) *run {
	is, done := m.threads[t], r.done[t]
	in := is[i]
	if in.addr >= 0 && done[in.addr] == 0 {
		return nil
	}
	from := int(r.mem[in.loc])
	for j := i - 1; j >= 0; j-- {
		if is[j].op == 'W' && in.rcsc && is[j].rel && done[j] == 0 {
			return nil
		}
	}
	for j := i - 1; j >= 0; j-- {
		b := is[j]
		if b.op != 'W' || b.loc != in.loc {
			continue
		}
		if done[j] == 0 { // forwarding
			if b.addr >= 0 && done[b.addr] == 0 || b.data >= 0 && done[b.data] == 0 {
				return nil
			}
			from = b.id
		}
		break
	}
	n.done[t][i] = byte(from + 1)
	// A read that came too early is restarted.
	own := map[int]bool{}
	for j := i + 1; j < len(is); j++ {
		switch b := is[j]; {
		case b.op == 'W' && b.loc == in.loc:
			own[b.id] = true
		case b.op == 'R' && b.loc == in.loc && done[j] != 0:
			if src := int(done[j]) - 1; src != from && !own[src] {
				return nil
			}
		}
	}
	return n
}

// expectedStates is what the axioms allow, as the machine writes it.
func expectedStates(t *testing.T, x *Text, m *machine, def *memory.Definition) map[string]bool {
	t.Helper()
	text := x.Body + "locations ["
	var names []string
	for _, c := range x.Condition[:m.reads] {
		name, _, _ := strings.Cut(c, "=")
		names = append(names, name)
	}
	for l := range m.locs {
		names = append(names, "["+location(l)+"]")
	}
	text += strings.Join(names, ";") + ";]\nexists (true)\n"
	test, err := litmus.ParseTest(&program.Source{Name: x.Name + ".litmus", Text: text})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	finals, err := graphs.FinalStates(context.Background(), test.Program, def, graphs.Options{}, func(*memory.Graph, verdict.FinalState) bool { return true })
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]bool{}
	for _, s := range test.Outcome(finals).States {
		vals := make([]int, len(names))
		for part := range strings.SplitSeq(s, ";") {
			name, v, ok := strings.Cut(strings.TrimSpace(part), "=")
			if !ok {
				continue
			}
			k, err := strconv.Atoi(v)
			i := slices.Index(names, name)
			if err != nil || i < 0 {
				t.Fatalf("%s in %s", part, s)
			}
			vals[i] = k
		}
		got[fmt.Sprint(vals)] = true
	}
	return got
}

// largest is up to which size tests are looked at: the environment may ask for more.
func largest(t *testing.T, usual int) int {
	if n, err := strconv.Atoi(os.Getenv("FENCEPOST_CYCLES")); err == nil {
		return n
	}
	if testing.Short() {
		return usual - 1
	}
	return usual
}

// The axioms of the processors allow what the machine does, and nothing else.
func TestFlat(t *testing.T) {
	for _, tt := range []struct {
		arch  program.Arch
		model memory.Model
	}{{program.AArch64, memory.ARMv8}, {program.RISCV, memory.RISCV}} {
		t.Run(string(tt.model), func(t *testing.T) {
			def, err := memory.LoadFor(tt.model, tt.arch)
			if err != nil {
				t.Fatal(err)
			}
			n, bad := 0, 0
			for size := 2; size <= largest(t, 5); size++ {
				All(For(tt.arch), size, func(c *Cycle) bool {
					m, ok := flatten(c)
					if !ok {
						return true
					}
					n++
					x := c.Text()
					want := expectedStates(t, x, m, def)
					got := m.outcomes()
					for s := range got {
						if !want[s] {
							bad++
							t.Errorf("%s: the machine ends in %s, which the axioms forbid\n%s", c, s, x)
						}
					}
					for s := range want {
						if !got[s] {
							bad++
							t.Errorf("%s: the axioms allow %s, in which the machine does not end\n%s", c, s, x)
						}
					}
					return bad < 3
				})
			}
			t.Logf("%d tests", n)
		})
	}
}
