package target

import (
	"slices"

	"github.com/fencepost-verifier/fencepost/program"
)

// How the operations of C11 are compiled for processors whose order is weaker than that of x86, as
// "C/C++11 mappings to processors" has it (Sewell and others, cl.cam.ac.uk/~pes20/cpp/cpp0xmappings.html);
// for 64-bit Arm with its instructions that acquire and release, and those of version 8.1 for
// read-modify-writes; for RISC-V table A.6 of the manual (volume I, version 20191213). That they are right
// for the model of C11 without load buffering forbidden is proven by Podkopaev, Lahav and Vafeiadis, "Bridging the
// gap between programming languages and hardware weak memory models", POPL 2019.

// An instruction is what an access becomes.
type instruction struct {
	before string // a fence
	tag    string // of the access
	after  string // a fence
	// branch is true where a branch that depends on what is loaded comes between the access and the fence
	// after it.
	branch bool
}

// A Processor says what operations become, by the memory order.
type Processor struct {
	arch              program.Arch
	load, store, rmw  [SeqCst + 1]instruction
	rmwLoad, rmwStore [SeqCst + 1]string // other tags of the halves than that of the whole
	fence             [SeqCst + 1]string
}

// The processors that there are.
var (
	AArch64 = &Processor{
		arch:     program.AArch64,
		load:     [...]instruction{Consume: {tag: "A"}, Acquire: {tag: "A"}, SeqCst: {tag: "A"}},
		store:    [...]instruction{Release: {tag: "L"}, SeqCst: {tag: "L"}},
		rmwLoad:  [...]string{Consume: "A", Acquire: "A", AcqRel: "A", SeqCst: "A"},
		rmwStore: [...]string{Release: "L", AcqRel: "L", SeqCst: "L"},
		fence:    [...]string{Consume: "DMB.ISHLD", Acquire: "DMB.ISHLD", Release: "DMB.ISH", AcqRel: "DMB.ISH", SeqCst: "DMB.ISH"},
	}
	RISCV = &Processor{
		arch:  program.RISCV,
		load:  [...]instruction{Consume: {after: "Fence.r.rw"}, Acquire: {after: "Fence.r.rw"}, SeqCst: {before: "Fence.rw.rw", after: "Fence.r.rw"}},
		store: [...]instruction{Release: {before: "Fence.rw.w"}, SeqCst: {before: "Fence.rw.w"}},
		rmw:   [...]instruction{Consume: {tag: "Acq"}, Acquire: {tag: "Acq"}, Release: {tag: "Rel"}, AcqRel: {tag: "AcqRel"}, SeqCst: {tag: "AcqRel"}},
		fence: [...]string{Consume: "Fence.r.rw", Acquire: "Fence.r.rw", Release: "Fence.rw.w", AcqRel: "Fence.tso", SeqCst: "Fence.rw.rw"},
	}
	Power = &Processor{
		arch: program.PPC,
		load: [...]instruction{Consume: {after: "isync", branch: true}, Acquire: {after: "isync", branch: true},
			SeqCst: {before: "sync", after: "isync", branch: true}},
		store: [...]instruction{Release: {before: "lwsync"}, SeqCst: {before: "sync"}},
		rmw: [...]instruction{Consume: {after: "isync", branch: true}, Acquire: {after: "isync", branch: true}, Release: {before: "lwsync"},
			AcqRel: {before: "lwsync", after: "isync", branch: true}, SeqCst: {before: "sync", after: "isync", branch: true}},
		fence: [...]string{Consume: "lwsync", Acquire: "lwsync", Release: "lwsync", AcqRel: "lwsync", SeqCst: "sync"},
	}
)

// Compile chooses instructions for the operations of p.
func Compile(p *program.Program, to *Processor) {
	for _, t := range p.Threads {
		w := &writer{t: t, to: to}
		w.atomics()
		for _, e := range t.Edges[:len(t.Edges):len(t.Edges)] {
			w.edge(e)
		}
		t.Edges = w.edges
	}
	p.Arch = to.arch
}

// acquires says of the tags of loads that acquire how a load alone does, as that of a compare-exchange that fails.
var acquires = map[string]string{"A": "A", "Acq": "Acq", "AcqRel": "Acq"}

// A writer writes the instructions of a thread.
type writer struct {
	// loads are the tags, by state, of what is loaded by Atomics that leave it and do not store.
	loads map[program.StateID]string
	t     *program.Thread
	to    *Processor
	edges []program.Edge
}

// state is a new one beside q.
func (w *writer) state(q program.StateID) program.StateID {
	w.t.States = append(w.t.States, program.State{Name: w.t.States[q].Name + "'", Pos: w.t.States[q].Pos})
	return program.StateID(len(w.t.States) - 1)
}

// step adds an edge, and a state that it leads to.
func (w *writer) step(from program.StateID, c program.Command, pos program.Position) program.StateID {
	to := w.state(from)
	c.Pos = pos
	w.edges = append(w.edges, program.Edge{From: from, To: to, Cmd: c, Pos: pos})
	return to
}

func fenceOfKind(kind string) program.Command {
	return program.Command{Op: program.Fence, Tags: program.NewTags(kind)}
}

// how is what an Atomic becomes, and the tags of a load and a store in it.
func (to *Processor) how(c *program.Command) (how instruction, load, store string) {
	loads, stores, order := false, false, Relaxed
	for i := range c.Body {
		b := &c.Body[i]
		switch b.Op {
		case program.Load:
			loads = true
		case program.Store:
			stores = true
		default:
			continue
		}
		order = stronger(order, OrderOf(b.Tags))
	}
	switch {
	case loads && stores:
		how = to.rmw[order]
		return how, how.tag + to.rmwLoad[order], how.tag + to.rmwStore[order]
	case loads && order == AcqRel:
		order = Acquire
	case stores && order == AcqRel:
		order = Release
	}
	switch {
	case loads:
		how = to.load[order]
	case stores:
		how = to.store[order]
	}
	return how, how.tag, how.tag
}

// stronger is what both orders ask for.
func stronger(a, b int) int {
	if a > b {
		a, b = b, a
	}
	if b == Release && (a == Acquire || a == Consume) {
		return AcqRel
	}
	return b
}

// fences are those of Power and RISC-V by what they order: the later, the more.
var fences = []string{"", "Fence.rw.w", "lwsync", "Fence.rw.rw", "sync"}

// atomics puts the fences before Atomics that leave one state, of which one is taken: what comes before a
// compare-exchange comes before it whether it fails or not. So does the load acquire, which is one instruction.
func (w *writer) atomics() {
	out := w.t.Out()
	w.loads = map[program.StateID]string{}
	for q := range out {
		before, acquire := 0, ""
		for _, i := range out[q] {
			if c := &w.t.Edges[i].Cmd; c.Op == program.Atomic {
				how, load, _ := w.to.how(c)
				before = max(before, slices.Index(fences, how.before))
				acquire = max(acquire, acquires[load])
			}
		}
		if before == 0 {
			w.loads[program.StateID(q)] = acquire
			continue
		}
		from := w.step(program.StateID(q), fenceOfKind(fences[before]), w.t.States[q].Pos)
		w.loads[from] = acquire
		for _, i := range out[q] {
			w.t.Edges[i].From = from
		}
	}
}

// edge adds what e becomes.
func (w *writer) edge(e program.Edge) {
	c := e.Cmd
	order := OrderOf(c.Tags)
	var how instruction
	reg := -1
	switch c.Op {
	case program.Load:
		how, reg = w.to.load[order], c.Reg
	case program.Store:
		how = w.to.store[order]
	case program.Fence:
		if kind := w.to.fence[order]; kind != "" && !c.Tags.Has(OrderTag[Relaxed]) {
			c.Tags = program.NewTags(kind)
		} else {
			c = program.Skip()
			c.Pos = e.Cmd.Pos
		}
		e.Cmd = c
		w.edges = append(w.edges, e)
		return
	case program.Atomic:
		var load, store string
		how, load, store = w.to.how(&c)
		how.before = "" // which is there (atomics)
		if load == "" {
			load = w.loads[e.From]
		}
		c.Body = slices.Clone(c.Body)
		for i := range c.Body {
			switch b := &c.Body[i]; b.Op {
			case program.Load:
				reg, b.Tags = b.Reg, tagged(load)
			case program.Store:
				b.Tags = tagged(store)
			}
		}
	default:
		w.edges = append(w.edges, e)
		return
	}
	if c.Op != program.Atomic {
		c.Tags = tagged(how.tag)
	}
	e.Cmd = c
	if how.before != "" {
		e.From = w.step(e.From, fenceOfKind(how.before), e.Pos)
	}
	if how.after == "" {
		w.edges = append(w.edges, e)
		return
	}
	at := w.step(e.From, c, e.Pos)
	if how.branch {
		// Both ways lead to the same place.
		to := w.step(at, checkOp(ne(program.Reg(reg), program.Const(0))), e.Pos)
		w.edges = append(w.edges, program.Edge{From: at, To: to, Cmd: checkOp(eq(program.Reg(reg), program.Const(0))), Pos: e.Pos})
		at = to
	}
	w.edges = append(w.edges, program.Edge{From: at, To: e.To, Cmd: fenceOfKind(how.after), Pos: e.Pos})
}

func tagged(tag string) program.Tags {
	if tag == "" {
		return program.Tags{}
	}
	return program.NewTags(tag)
}
