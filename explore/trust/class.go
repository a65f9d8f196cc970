package trust

import "github.com/fencepost-verifier/fencepost/program"

// A class is what models know of an event beside what it does.
type class struct {
	tags   program.Tags
	full   bool // keeps all that is before it from all that is after it
	stores bool // does so for writes
	order  order
	// updates is true of a full fence of any architecture.
	updates bool
	// exclusive is true of a load or a store that is one half of a read-modify-write of two commands.
	exclusive bool
}

// fullFences are the tags of full fences, as in ra.cat, which calls those of Power SYNC; there is
// SC beside them, of C.
var fullFences = []string{program.TagMFence, "sync", "Mb", "DMB.SY", "DMB.ISH", "DSB.SY", "DSB.ISH", "Fence.rw.rw"}

// An order is a memory order of C11, by what it implies.
type order uint8

const (
	relaxed order = 1 << iota // of an atomic access
	acquire
	release
	seqCst
)

type classKey struct {
	cmd    *program.Command
	atomic bool
}

// classes are those of all events of p.
func classes(p *program.Program) map[classKey]*class {
	all := map[classKey]*class{}
	for _, t := range p.Threads {
		for i := range t.Edges {
			c := &t.Edges[i].Cmd
			all[classKey{c, false}] = newClass(c, p.Arch, false)
			if c.Op == program.Atomic {
				all[classKey{c, true}] = newClass(c, p.Arch, true)
				for k := range c.Body {
					all[classKey{&c.Body[k], true}] = newClass(&c.Body[k], p.Arch, true)
				}
			}
		}
	}
	all[classKey{}] = &class{} // of choices
	return all
}

func newClass(c *program.Command, a program.Arch, atomic bool) *class {
	tags := c.EventTags(a, atomic)
	cl := &class{tags: tags, full: tags.Has(program.TagMFence) || tags.Has(program.TagLocked), stores: tags.Has(program.TagSFence),
		exclusive: !atomic && c.Exclusive(a)}
	for _, tag := range fullFences {
		cl.updates = cl.updates || tags.Has(tag)
	}
	cl.updates = cl.updates || c.Op == program.Fence && tags.Has("SC")
	for tag, o := range map[string]order{
		"RLX": relaxed, "CON": relaxed | acquire, "ACQ": relaxed | acquire, "REL": relaxed | release,
		"ACQ_REL": relaxed | acquire | release, "SC": relaxed | acquire | release | seqCst,
	} {
		if tags.Has(tag) {
			cl.order |= o
		}
	}
	switch c.Op { // of read-modify-writes, each half has what is for it
	case program.Load:
		cl.order &^= release
	case program.Store:
		cl.order &^= acquire
	}
	return cl
}
