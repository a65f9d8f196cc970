// Package hw runs litmus tests for x86 on the processor at hand, and holds what it sees against
// what the models allow.
//
// A test comes in, a [verdict.Hardware] goes out: how often which final state was seen, and whether
// SC and TSO allow it. A state that TSO does not allow is a defect, of the processor or of ours.
//
// The test is assembled into memory, the variables at the addresses that the program has for them,
// and run by a process of its own (see [Child]): whatever the code does, it is that process which
// it does it to. It takes Linux on x86-64.
package hw

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/fencepost-verifier/fencepost/explore"
	"github.com/fencepost-verifier/fencepost/lang/litmus"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// Options say how to run tests.
type Options struct {
	Runs int // of each test, at most; 0: a million
	// Time bounds the runs of a test; 0: ten seconds. What was seen until then counts.
	Time time.Duration
	// Timeout bounds the search of what is allowed, and how much longer than Time the runs may take; 0: a minute.
	Timeout time.Duration
	Seed    uint64
	// Command is the program, with its arguments, that calls [Child].
	Command []string
	// MemoryLimit bounds the search, in bytes.
	MemoryLimit int64
}

// A Refused error says why a test cannot be run here.
type Refused struct{ Why string }

func (e *Refused) Error() string { return e.Why }

// Run runs a test. The error is a [Refused] where the machine or the test is not of the kind, and
// says else how the process that ran it came to its end.
func Run(ctx context.Context, t *litmus.Test, opts Options) (*verdict.Hardware, error) {
	opts.Runs, opts.Timeout = cmp.Or(opts.Runs, 1_000_000), cmp.Or(opts.Timeout, time.Minute)
	opts.Time = cmp.Or(opts.Time, 10*time.Second)
	if !Here {
		return nil, &Refused{"tests are run on Linux on x86-64 only"}
	}
	start := time.Now()
	ranges, err := program.Analyse(t.Program)
	if err != nil {
		return nil, err
	}
	p, err := newPlan(t, ranges, opts)
	if err != nil {
		return nil, &Refused{err.Error()}
	}
	h := &verdict.Hardware{Name: t.Name, Condition: t.Condition}
	seen, err := launch(ctx, p, opts)
	if err != nil {
		return nil, err
	}
	if err := allowed(ctx, h, t, opts); err != nil {
		return nil, err
	}
	count(h, t, p, ranges, seen)
	h.Elapsed = time.Since(start)
	return h, nil
}

// launch has the plan run by a process of its own.
func launch(ctx context.Context, p *plan, opts Options) ([]sighting, error) {
	ctx, cancel := context.WithTimeout(ctx, opts.Time+opts.Timeout)
	defer cancel()
	text, err := json.Marshal(p)
	if err != nil {
		return nil, err
	}
	var seen result
	for range attempts {
		if seen, err = attempt(ctx, opts, text); err != nil || seen.Occupied == "" {
			return seen.Sightings, err
		}
	}
	return nil, errors.New(seen.Occupied)
}

// attempts is how many processes a test gets: the system puts things into the memory of each where it likes, and in
// one of some hundred they are where the test has to be.
const attempts = 8

// attempt runs the plan, which text is, in a process.
func attempt(ctx context.Context, opts Options, text []byte) (seen result, err error) {
	out, err := spawn(ctx, opts.Command, text)
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return seen, fmt.Errorf("the test has not come to its end within %v: a thread may wait for what never happens", opts.Time+opts.Timeout)
	case ctx.Err() != nil:
		return seen, ctx.Err()
	case err != nil:
		return seen, err
	}
	if err := json.Unmarshal(out, &seen); err != nil {
		return seen, fmt.Errorf("the process that ran the test ended without its result: %w", err)
	}
	return seen, nil
}

// A result is what a process has to say that ran a plan.
type result struct {
	Sightings []sighting
	Occupied  string // where not "": nothing was run, since other things were in the memory that the test needs
}

// An occupied error is that there are other things where memory is needed.
type occupied struct {
	at  int64
	err error
}

func (e *occupied) Error() string {
	return fmt.Sprintf("there is no memory to be had at %#x: %v", e.at, e.err)
}

// A plan is all that it takes to run a test.
type plan struct {
	Threads []planThread
	Cells   []planCell
	Runs    int
	Time    time.Duration
	Seed    uint64
	// Shifts are by how many bytes variables are moved from where the program has them. There is
	// code for each.
	Shifts []int64
}

type planThread struct {
	Code  [][]byte // by shift
	Start map[int]int64
	Regs  []int
}

type planCell struct {
	Addr int64
	Bits uint8
	Init int64
}

// A sighting is a final state and how often it was seen.
type sighting struct {
	Regs  [][]uint64 // by thread and register of the program
	Cells []uint64
	Count int
}

// firstShifts moves variables within their pages, so that they come to lie in other lines of the caches.
var firstShifts = []int64{0, 64, 1024, 8}

func newPlan(t *litmus.Test, ranges *program.Ranges, opts Options) (*plan, error) {
	p := &plan{Runs: opts.Runs, Time: opts.Time, Seed: opts.Seed, Shifts: firstShifts}
	if t.Holds() { // an address is a value, and stays what it is
		p.Shifts = p.Shifts[:1]
	}
	p.Threads = make([]planThread, len(t.Program.Threads))
	for _, s := range p.Shifts {
		code, err := t.Assemble(s)
		if err != nil {
			return nil, err
		}
		for i, c := range code {
			p.Threads[i].Code = append(p.Threads[i].Code, c.Code)
			p.Threads[i].Start, p.Threads[i].Regs = c.Start, c.Regs
		}
	}
	for _, c := range t.Program.Memory {
		p.Cells = append(p.Cells, planCell{c.Addr, c.Type.Bits, c.Init})
	}
	if len(ranges.Cells) != len(p.Cells) {
		return nil, errors.New("the test accesses memory that is no variable")
	}
	return p, nil
}

// count sums sightings up by what the test shows.
func count(h *verdict.Hardware, t *litmus.Test, p *plan, ranges *program.Ranges, seen []sighting) {
	known := map[string]int{}
	for i := range h.States {
		known[h.States[i].State] = i
	}
	for _, s := range seen {
		h.Runs += s.Count
		fs := verdict.FinalState{Memory: make([]int64, len(ranges.Cells))}
		for i, th := range t.Program.Threads {
			regs := make([]int64, len(th.Regs))
			for r := range regs {
				if p.Threads[i].Regs[r] >= 0 {
					regs[r] = th.Regs[r].Type.Wrap(int64(s.Regs[i][r]))
				}
			}
			fs.Regs = append(fs.Regs, regs)
		}
		for k, c := range t.Program.Memory {
			fs.Memory[ranges.CellIndex(c.Addr)] = c.Type.Wrap(int64(s.Cells[k]))
		}
		if !t.Counts(fs) {
			continue
		}
		text := t.State(fs)
		i, ok := known[text]
		if !ok {
			i = len(h.States)
			known[text] = i
			h.States = append(h.States, verdict.HardwareState{State: text, Asked: t.Asks(fs), Foreign: true})
		}
		h.States[i].Seen += s.Count
	}
	slices.SortStableFunc(h.States, func(a, b verdict.HardwareState) int { return strings.Compare(a.State, b.State) })
}

// allowed fills in the states that the models allow.
func allowed(ctx context.Context, h *verdict.Hardware, t *litmus.Test, opts Options) error {
	ctx, cancel := context.WithTimeout(ctx, opts.Timeout)
	defer cancel()
	by := map[string]*verdict.HardwareState{}
	var order []string
	for _, m := range []memory.Model{memory.SC, memory.TSO} {
		ends, r, err := explore.FinalStates(ctx, t.Program, explore.Options{Model: m, MemoryLimit: opts.MemoryLimit})
		if err != nil {
			return err
		}
		if !r.Safe() {
			h.Incomplete = fmt.Sprintf("what %s allows is not known: %s", m, r.Reason())
		}
		for _, fs := range ends {
			if !t.Counts(fs) {
				continue
			}
			text := t.State(fs)
			s := by[text]
			if s == nil {
				s = &verdict.HardwareState{State: text, Asked: t.Asks(fs)}
				by[text] = s
				order = append(order, text)
			}
			if m == memory.SC {
				s.SC = true
			} else {
				s.TSO = true
			}
		}
	}
	for _, text := range order {
		h.States = append(h.States, *by[text])
	}
	return nil
}

// Child runs the plan that it reads, and writes what it saw. It is what the process does that
// [Options.Command] starts; a fault in the test ends that process.
func Child(in io.Reader, out io.Writer) error {
	var p plan
	if err := json.NewDecoder(io.LimitReader(in, 64<<20)).Decode(&p); err != nil {
		return err
	}
	var r result
	var err error
	var full *occupied
	if r.Sightings, err = p.run(); errors.As(err, &full) {
		r.Occupied = full.Error()
	} else if err != nil {
		return err
	}
	return json.NewEncoder(out).Encode(r)
}

// Refusal is true: it is the kind of test, or of machine, that is at fault.
func (e *Refused) Refusal() bool { return true }
