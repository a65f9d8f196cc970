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
)

// AtomicTag is what the events of an Atomic bear in execution graphs.
func (a Arch) AtomicTag() string {
	if a == C11 {
		return "RMW"
	}
	return TagLocked
}

func (a Arch) String() string {
	if a == X86 {
		return "x86"
	}
	return string(a)
}
