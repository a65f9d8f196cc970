package program

import (
	"slices"
	"strings"
	"unique"
)

// Tags is a set of names that an access or a fence bears: memory orders of a
// language, kinds of fences, acquire and release of an instruction. What they mean is
// up to the memory model; the names are those that models in cat use for the sets of
// events that bear them. Sets are interned: two are equal just if == says so. The
// zero Tags is the empty set.
type Tags struct{ names unique.Handle[string] }

// The fences of x86. A Fence without tags is an MFENCE.
const (
	TagMFence = "MFENCE" // orders everything
	TagSFence = "SFENCE" // stores before it with stores after it
	TagLFence = "LFENCE" // loads before it with loads after it
)

// TagLocked is what the accesses of an Atomic bear on x86, where it is a locked
// instruction.
const TagLocked = "X"

// TagExclusive is what a load and a store bear, each a command of its own, of which the
// store succeeds only if nobody has written in between (LDXR and STXR, lr and sc, lwarx
// and stwcx.). The two are a read-modify-write if they are to one address and no other
// access of the thread with this tag is between them. A program says only what happens
// if the store succeeds; that it fails is a path without it.
const TagExclusive = "X"

// NewTags is the set of these names, none of which may have a blank or be empty.
func NewTags(names ...string) Tags {
	if len(names) == 0 {
		return Tags{}
	}
	names = slices.Clone(names)
	slices.Sort(names)
	return Tags{unique.Make(strings.Join(slices.Compact(names), " "))}
}

// Names lists the set, ascending.
func (t Tags) Names() []string { return strings.Fields(t.String()) }

// Has is true where the name is in the set.
func (t Tags) Has(name string) bool {
	for word := range strings.FieldsSeq(t.String()) {
		if word == name {
			return true
		}
	}
	return false
}

// With is the set with these names as well.
func (t Tags) With(names ...string) Tags { return NewTags(append(t.Names(), names...)...) }

// String is the names with blanks between them.
func (t Tags) String() string {
	if (t == Tags{}) {
		return ""
	}
	return t.names.Value()
}

// An Arch says which vocabulary the tags of a program are from, and what its
// commands are: instructions of a processor, or operations of a language.
type Arch string

const (
	// X86 is the vocabulary of x86, and of languages that have its fences. An
	// Atomic is a locked instruction, which acts as a full fence. The zero Arch
	// is X86.
	X86 Arch = ""
	// C11 is the memory orders of C11. An Atomic is indivisible, and orders no
	// more than its tags say.
	C11 Arch = "c11"
	// AArch64 is the vocabulary of 64-bit Arm. Here and below an Atomic is
	// indivisible, and orders no more than its tags say.
	AArch64 Arch = "aarch64"
	// RISCV is the vocabulary of RISC-V.
	RISCV Arch = "riscv"
	// PPC is the vocabulary of Power.
	PPC Arch = "ppc"
	// LKMM is the vocabulary of the Linux kernel.
	LKMM Arch = "lkmm"
)

// Archs lists the vocabularies.
func Archs() []Arch { return []Arch{X86, C11, AArch64, RISCV, PPC, LKMM} }

// AtomicTag is what the events of an Atomic bear in execution graphs.
func (a Arch) AtomicTag() string {
	switch a {
	case X86:
		return TagLocked
	case C11, LKMM:
		return "RMW"
	}
	return "AMO"
}

// Picks is whether a Check in an Atomic picks what the rest of it does: what depends on the
// rest does not depend on what was checked, but for a pick dependency. It is so where an
// Atomic without accesses is an instruction that chooses between registers.
func (a Arch) Picks() bool { return a == AArch64 }

func (a Arch) String() string {
	if a == X86 {
		return "x86"
	}
	return string(a)
}

// Exclusive is true of a load or a store that is one half of a read-modify-write; see
// [TagExclusive]. c is not in the body of an Atomic.
func (c *Command) Exclusive(a Arch) bool {
	return a != X86 && (c.Op == Load || c.Op == Store) && c.Tags.Has(TagExclusive)
}

// Exclusives is whether there are exclusive accesses in p.
func (p *Program) Exclusives() bool {
	found := false
	for _, t := range p.Threads {
		for i := range t.Edges {
			found = found || t.Edges[i].Cmd.Exclusive(p.Arch)
		}
	}
	return found
}

// Parts is whether p has accesses that reach several cells, or several accesses in one
// instruction, without an order between them.
func (p *Program) Parts() bool {
	found := false
	p.eachCommand(func(_ *Thread, c *Command) { found = found || c.Part && (c.Op == Load || c.Op == Store) })
	return found
}
