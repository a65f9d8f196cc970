package cycles

import "github.com/fencepost-verifier/fencepost/program"

// An Arch is what a cycle can be made of in the tests of an architecture.
type Arch struct {
	// Of is whose tests they are, and header the first word of one.
	Of     program.Arch
	header string
	amo    bool // there is an exchange
	// loads and stores are the modes of accesses; the first is the plain one.
	loads, stores []mode
	// decos are what can stand at program order; the first is nothing.
	decos   []deco
	dialect dialect
}

// A mode is a way to access memory.
type mode struct {
	name string // in the names of cycles
	// code is what the dialect makes of it.
	code  string
	noAmo bool // exchanges do not have it
}

// A deco is a fence or a dependency.
type deco struct {
	cycle, name string // in the names of cycles, of tests
	from, to    uint8  // reads, writes
	fence       string // what is written; of a dependency empty
	dep         string // addr, data, ctrl, ctrlfence
	// before and after are around the accesses, in place of between them.
	before, after string
}

const (
	reads  = 1
	writes = 2
	both   = reads | writes
)

func side(write bool) uint8 {
	if write {
		return writes
	}
	return reads
}

// fits is whether it can stand between x and an access.
func (o *deco) fits(x *node, write bool) bool {
	return (x.kind == po || x.kind == pos) && o.from&side(x.write) != 0 && o.to&side(write) != 0
}

// fits is whether the i-th access can have the mode.
func (m mode) fits(c *Cycle, i int) bool {
	before := c.nodes[(i+len(c.nodes)-1)%len(c.nodes)]
	return !m.noAmo || c.nodes[i].kind != amo && before.kind != amo
}

// modes is the modes of the i-th access.
func (a *Arch) modes(c *Cycle, i int) []mode {
	if c.nodes[i].write {
		return a.stores
	}
	return a.loads
}

func (a *Arch) mode(n node) mode {
	if n.write {
		return a.stores[n.mode]
	}
	return a.loads[n.mode]
}

// dependencies are those of processors; isb is what makes a control dependency one between
// loads.
func dependencies(isb, name string) []deco {
	ds := []deco{
		{cycle: "DpAddr", name: "addr", from: reads, to: both, dep: "addr"},
		{cycle: "DpData", name: "data", from: reads, to: writes, dep: "data"},
		{cycle: "DpCtrl", name: "ctrl", from: reads, to: both, dep: "ctrl"},
	}
	if isb != "" {
		ds = append(ds, deco{cycle: "DpCtrl" + name, name: "ctrl" + name, from: reads, to: both, dep: "ctrl", fence: isb})
	}
	return ds
}

func fence(cycle, name, text string, from, to uint8) deco {
	return deco{cycle: cycle, name: name, fence: text, from: from, to: to}
}

var archs = []*Arch{
	{Of: program.X86, header: "X86_64", amo: true, loads: []mode{{}}, stores: []mode{{}}, dialect: x86{},
		decos: []deco{{}, fence("MFence", "mfence", "mfence", both, both), fence("SFence", "sfence", "sfence", both, both), fence("LFence", "lfence", "lfence", both, both)}},
	{Of: program.AArch64, header: "AArch64", amo: true, dialect: arm{},
		loads: []mode{{}, {name: "A", code: "A"}, {name: "Q", code: "Q", noAmo: true}}, stores: []mode{{}, {name: "L", code: "L"}},
		decos: append([]deco{{}, fence("DMB.SY", "dmb.sy", "DMB SY", both, both), fence("DMB.LD", "dmb.ld", "DMB LD", reads, both), fence("DMB.ST", "dmb.st", "DMB ST", writes, writes)},
			dependencies("ISB", "isb")...)},
	{Of: program.RISCV, header: "RISCV", amo: true, dialect: risc{},
		loads: []mode{{}, {name: "Aq", code: ".aq"}}, stores: []mode{{}, {name: "Rl", code: ".rl"}},
		decos: append([]deco{{}, fence("Fence.rw.rw", "fence.rw.rw", "fence rw,rw", both, both), fence("Fence.r.r", "fence.r.r", "fence r,r", reads, reads),
			fence("Fence.r.w", "fence.r.w", "fence r,w", reads, writes), fence("Fence.w.r", "fence.w.r", "fence w,r", writes, reads), fence("Fence.w.w", "fence.w.w", "fence w,w", writes, writes),
			fence("Fence.r.rw", "fence.r.rw", "fence r,rw", reads, both), fence("Fence.rw.w", "fence.rw.w", "fence rw,w", both, writes),
			fence("Fence.tso", "fence.tso", "fence.tso", both, both)}, dependencies("fence.i", "fencei")...)},
	{Of: program.PPC, header: "PPC", loads: []mode{{}}, stores: []mode{{}}, dialect: power{},
		decos: append([]deco{{}, fence("Sync", "sync", "sync", both, both), fence("LwSync", "lwsync", "lwsync", both, both), fence("Eieio", "eieio", "eieio", writes, writes)},
			dependencies("isync", "isync")...)},
	{Of: program.C11, header: "C", amo: true, dialect: c11{},
		loads:  []mode{{code: "relaxed"}, {name: "Acq", code: "acquire"}, {name: "Sc", code: "seq_cst"}},
		stores: []mode{{code: "relaxed"}, {name: "Rel", code: "release"}, {name: "Sc", code: "seq_cst"}},
		decos: []deco{{}, fence("FenceSc", "sc", "atomic_thread_fence(memory_order_seq_cst);", both, both), fence("FenceAR", "ar", "atomic_thread_fence(memory_order_acq_rel);", both, both),
			fence("FenceAcq", "acq", "atomic_thread_fence(memory_order_acquire);", reads, both), fence("FenceRel", "rel", "atomic_thread_fence(memory_order_release);", both, writes),
			{cycle: "DpData", name: "data", from: reads, to: writes, dep: "data"}, {cycle: "DpCtrl", name: "ctrl", from: reads, to: both, dep: "ctrl"}}},
	{Of: program.LKMM, header: "C", amo: true, dialect: kernel{},
		loads: []mode{{}, {name: "Acq", code: "acquire"}}, stores: []mode{{}, {name: "Rel", code: "release"}},
		decos: []deco{{}, fence("Mb", "mb", "smp_mb();", both, both), fence("Rmb", "rmb", "smp_rmb();", reads, reads), fence("Wmb", "wmb", "smp_wmb();", writes, writes),
			fence("SyncRcu", "gp", "synchronize_rcu();", both, both), {cycle: "Rscs", name: "rscs", from: both, to: both, before: "rcu_read_lock();", after: "rcu_read_unlock();"},
			{cycle: "DpData", name: "data", from: reads, to: writes, dep: "data"}, {cycle: "DpCtrl", name: "ctrl", from: reads, to: both, dep: "ctrl"}}},
}

// For is what there is for an architecture; nil: nothing.
func For(a program.Arch) *Arch {
	for _, x := range archs {
		if x.Of == a {
			return x
		}
	}
	return nil
}
