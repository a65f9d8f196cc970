package datarace_test

import (
	"fmt"
	"testing"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/datarace"
	"github.com/fencepost-verifier/fencepost/engine"
	"github.com/fencepost-verifier/fencepost/internal/reference"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// The cells of the programs of TestMeetings. bit is of one bit; the third thread is started by that of start.
const (
	x program.Const = 8 + iota
	y
	z
	bit
	two // is 2 at first
	start
)

func tagged(tag string) program.Tags {
	if tag == "" {
		return program.Tags{}
	}
	return program.NewTags(tag)
}

func ld(tag string, reg int, addr program.Expr) program.Command {
	return program.Command{Op: program.Load, Reg: reg, Addr: addr, Tags: tagged(tag)}
}

func st(tag string, addr, v program.Expr) program.Command {
	return program.Command{Op: program.Store, Addr: addr, Value: v, Tags: tagged(tag)}
}

func set(reg int, v program.Expr) program.Command {
	return program.Command{Op: program.Assign, Reg: reg, Value: v}
}

func is(reg, v int) program.Command {
	return program.Command{Op: program.Check, Value: program.Binary{Op: program.Eq, X: program.Reg(reg), Y: program.Const(v)}}
}

func block(body ...program.Command) program.Command {
	return program.Command{Op: program.Atomic, Body: body}
}

type commands []program.Command

// inThreads is a program whose threads execute these commands in turn.
func inThreads(threads ...commands) *program.Program {
	p := &program.Program{Name: "meetings", Arch: program.C11, Default: program.Int32Type, Memory: []program.Cell{
		{Addr: int64(x), Name: "x", Type: program.Int32Type}, {Addr: int64(y), Name: "y", Type: program.Int32Type}, {Addr: int64(z), Name: "z", Type: program.Int32Type},
		{Addr: int64(bit), Name: "bit", Type: program.BoolType}, {Addr: int64(two), Name: "two", Type: program.Int32Type, Init: 2}, {Addr: int64(start), Name: "start", Type: program.BoolType}}}
	for ti, cs := range threads {
		t := &program.Thread{Name: fmt.Sprintf("P%d", ti), States: []program.State{{Name: "q0"}}, Regs: []program.Register{
			{Name: "r0", Type: program.Int32Type}, {Name: "r1", Type: program.Int32Type}}}
		if ti == 2 {
			t.States[0].Kind = program.Unstarted
		}
		for i, c := range cs {
			t.States = append(t.States, program.State{Name: fmt.Sprintf("q%d", i+1)})
			t.Edges = append(t.Edges, program.Edge{From: program.StateID(i), To: program.StateID(i + 1), Cmd: c})
		}
		p.Threads = append(p.Threads, t)
	}
	return p
}

// TestMeetings: what has to be watched for so that whoever may race meets, and what need not be.
func TestMeetings(t *testing.T) {
	const (
		apart = "no two accesses meet"
		shown = "a race is met"
		met   = "accesses meet that are no race themselves"
		left  = "left to the monitor"
	)
	many := commands{}
	for k := 1; k <= 16; k++ {
		many = append(many, st("RLX", y, program.Const(k)))
	}
	passes := func(release, acquire string) []commands { // x, by y
		return []commands{{st("NA", x, program.Const(1)), st(release, y, program.Const(1))}, {ld(acquire, 0, y), is(0, 1), st("NA", x, program.Const(2))}}
	}
	first, begin := st("NA", x, program.Const(1)), program.Start(0, int64(start), program.NewTags("ACQ"))
	for _, c := range []struct {
		name    string
		threads []commands
		want    string
	}{
		{"release and acquire", passes("REL", "ACQ"), apart},
		{"sequentially consistent", passes("SC", "SC"), apart},
		{"both in one", passes("ACQ_REL", "ACQ_REL"), apart},
		{"consume", passes("REL", "CON"), apart},
		{"a relaxed load", passes("REL", "RLX"), met},
		{"a relaxed store", passes("RLX", "ACQ"), met},
		{"a load that releases", passes("REL", "REL"), met},
		{"a store that acquires", passes("ACQ", "ACQ"), met},
		{"a load without an order", passes("REL", ""), met},
		{"a store without an order", passes("", "ACQ"), met},
		{"a plain flag", passes("NA", "ACQ"), shown},
		{"a flag of three", []commands{
			{first, st("REL", y, program.Const(1))},
			{block(ld("RLX", 0, y), is(0, 1), st("RLX", y, program.Const(2)))},
			{begin, ld("ACQ", 0, y), is(0, 2), st("NA", x, program.Const(2))},
		}, met},
		{"loads", []commands{{ld("NA", 0, x)}, {ld("NA", 0, x)}}, apart},
		{"books", []commands{{first}, {st("", x, program.Const(2))}}, apart},
		{"books of both", []commands{{st("", x, program.Const(1))}, {st("", x, program.Const(2))}}, apart},
		{"an atomic load and a plain store", []commands{{first}, {ld("ACQ", 0, x)}}, shown},
		{"an atomic store and a plain load", []commands{{st("REL", x, program.Const(1))}, {ld("NA", 0, x)}}, shown},
		{"an atomic store and a plain one", []commands{{st("REL", x, program.Const(1))}, {first}}, shown},
		{"an atomic store and a plain load behind another", []commands{{st("REL", x, program.Const(1))}, {block(ld("ACQ", 1, y), ld("NA", 0, x)), st("REL", y, program.Const(1))}, {begin, st("REL", y, program.Const(2))}}, shown},

		{"what is read is not gone on with", []commands{{st("RLX", y, program.Const(1))}, {block(ld("RLX", 0, y), is(0, 2))}}, apart},
		{"what is read beside", []commands{
			{first, st("RLX", y, program.Const(1))},
			{block(ld("RLX", 0, y), ld("RLX", 1, two), is(1, 2)), is(0, 1), st("NA", x, program.Const(2))},
		}, met},
		{"what is written over", []commands{
			{first, st("RLX", y, program.Const(1))},
			{block(ld("RLX", 0, y), set(1, program.Reg(0)), set(0, program.Const(2)), is(0, 2)), is(1, 1), st("NA", x, program.Const(2))},
		}, met},
		{"what is computed", []commands{
			{first, block(ld("RLX", 0, two), st("RLX", y, program.Reg(0)))},
			{block(ld("RLX", 0, y), is(0, 2)), st("NA", x, program.Const(2))},
		}, met},
		{"what was known for a moment", []commands{
			{first, block(set(0, program.Const(1)), st("RLX", y, program.Reg(0)), set(0, program.Const(2)))},
			{block(ld("RLX", 0, y), is(0, 1)), st("NA", x, program.Const(2))},
		}, met},
		{"what wraps around", []commands{
			{first, st("RLX", bit, program.Const(3))},
			{block(ld("RLX", 0, bit), is(0, 1)), st("NA", x, program.Const(2))},
		}, met},
		{"many values", []commands{
			append(many, first, st("RLX", y, program.Const(17))),
			{block(ld("RLX", 0, y), is(0, 17)), st("NA", x, program.Const(2))},
		}, met},

		{"a lock", []commands{{{Op: program.Lock}, first, {Op: program.Unlock}}, {{Op: program.Lock}, st("NA", x, program.Const(2)), {Op: program.Unlock}}}, left},
		{"a step that acquires after it has released", []commands{
			{first, st("REL", z, program.Const(1))},
			{block(st("REL", y, program.Const(1)), ld("ACQ", 0, z), is(0, 1))},
			{begin, ld("ACQ", 0, y), is(0, 1), st("NA", x, program.Const(2))},
		}, left},
		{"a step that acquires its own after it has released", []commands{
			{first, st("REL", z, program.Const(1)), block(st("REL", y, program.Const(1)), ld("ACQ", 0, z), is(0, 1))},
			{ld("ACQ", 0, y), is(0, 1), st("NA", x, program.Const(2))},
		}, apart},
		{"a step that reads what it has stored", []commands{
			{block(st("REL", y, program.Const(1)), ld("RLX", 0, y), is(0, 1), first)},
			{st("NA", x, program.Const(2))},
		}, left},
		{"a thread that begins without knowing", []commands{{first, st("RLX", start, program.Const(1))}, {}, {begin, st("NA", x, program.Const(2))}}, left},
		{"a thread that begins", []commands{{first, st("REL", start, program.Const(1))}, {}, {begin, st("NA", x, program.Const(2))}}, apart},

		{"a load that is not possible any more when the store is", []commands{
			{block(ld("ACQ", 0, y), is(0, 1), ld("NA", 1, x))},
			{st("REL", y, program.Const(1)), st("REL", y, program.Const(0)), first},
		}, shown},
		{"a load of a step that acquires later", []commands{
			{ld("NA", 0, x), st("REL", y, program.Const(1))},
			{block(first, ld("ACQ", 0, y), is(0, 1))},
		}, met},
		{"a load of what the step goes on with", []commands{{first}, {block(ld("NA", 0, x), is(0, 1))}}, shown},
		{"a load of what the step does not go on with", []commands{{first}, {block(ld("NA", 0, x), is(0, 0))}}, shown},
		{"a store of a step that is not possible", []commands{
			{ld("ACQ", 0, y), block(first, is(0, 1))},
			{st("REL", y, program.Const(2)), ld("NA", 0, x)},
		}, apart},
		{"a step that is not possible before it stores", []commands{
			{ld("ACQ", 0, y), ld("ACQ", 1, y), block(is(0, 2), is(1, 1), first)},
			{st("REL", y, program.Const(1)), st("REL", y, program.Const(2)), st("NA", x, program.Const(2))},
		}, apart},
		{"two that read when a third one has written", []commands{
			{ld("ACQ", 0, y), is(0, 1), block(ld("ACQ", 0, y), ld("NA", 0, x))},
			{ld("ACQ", 0, y), is(0, 1), block(ld("ACQ", 0, y), ld("NA", 0, x))},
			{begin, first, st("REL", y, program.Const(1))},
			{st("REL", start, program.Const(1))},
		}, apart},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := inThreads(c.threads...)
			if len(c.threads) == 3 {
				starts := false
				for _, c := range append(c.threads[0], c.threads[1]...) {
					starts = starts || c.Addr == start
				}
				if !starts {
					p.Threads = append(p.Threads, inThreads(commands{st("REL", start, program.Const(1))}).Threads[0])
				}
			}
			sys, err := abstract.Compile(p, memory.SC, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			race, complete := datarace.AllRuns(p, sys, 20_000)
			if !race && !complete {
				t.Fatal("too many runs")
			}
			m, err := datarace.NewMonitor(t.Context(), p)
			if err != nil {
				t.Fatal(err)
			}
			got := left
			if a := m.Adjacency(); a != nil {
				r, err := engine.Check(t.Context(), a.Program, engine.Options{Model: memory.SC, Engine: "explicit"})
				if err != nil {
					t.Fatal(err)
				}
				if got = apart; r.Unsafe() {
					found, err := a.Convict(r.Run())
					if err != nil {
						t.Fatal(err)
					}
					if got = met; found != nil {
						got = shown
					}
				}
				if got == apart && race {
					t.Errorf("there is a race, and no two accesses meet\n%s", reference.Dump(p))
				}
			}
			if got != c.want {
				t.Errorf("%s, want: %s (race: %t)\n%s", got, c.want, race, reference.Dump(p))
			}
			r, err := engine.DataRaces(t.Context(), p, engine.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if want := map[bool]verdict.Verdict{false: verdict.IsSafe, true: verdict.IsUnsafe}[race]; r.Verdict() != want {
				t.Errorf("%s, want %s", r.Verdict(), want)
			}
		})
	}
}
