package litmus

import (
	"maps"
	"slices"
	"strings"

	"github.com/fencepost-verifier/fencepost/internal/text"
	"github.com/fencepost-verifier/fencepost/program"
)

// instead is what to do about what is refused, by why it is.
var instead = map[string]string{
	"accesses of many words are not modelled":         "write an access for each word",
	"accesses of two words are not modelled":          "write an access for each word, if they need not happen at once",
	"arithmetic with the carry flag is not supported": "use add, sub and conditional jumps",
	"calls are not modelled":                          "write what is called in place of the call",
	"callbacks are not modelled":                      "write what is called behind synchronize_rcu",
	"division is not supported":                       "use shifts and masks: x >> 1, x & 1",
	"floating point is not modelled":                  "use integers of the same size",
	"indirect jumps are not supported":                "jump to a label",
	"instructions on single bits are not supported":   "use and, or, xor with a mask, with lock where it stands",
	"jumps are not supported":                         "use if, while, break and continue",
	"locks for readers and writers are not modelled":  "use spin_lock, or the atomics that such a lock is made of",
	"multiplication and division are not supported":   "use shifts, additions and masks",
	"rotation is not supported":                       "use two shifts and an or",
	"string instructions are not supported":           "write an access for each element",
	"switch is not supported":                         "use if and else",
	"the heap is not modelled":                        "name the variables in the initial state",
	"the order of bytes is not modelled":              "write an access for each byte",
	"the stack is not modelled":                       "use a variable, or a register",
	"vector registers are not modelled":               "use general registers, with an access for each word",
	"non-temporal accesses are not modelled":          "use mov, if the test is not about them",
	"compare-and-swap of AMOs is not modelled":        "use lr and sc",
	"assembly is not supported":                       "use the functions of C11 or of the kernel",
	"instructions of the system are not modelled":     leaveOut,
	"registers of the system are not modelled":        leaveOut,
	"exceptions are not modelled":                     leaveOut,
	"translation is not modelled":                     leaveOut,
	"tags of memory are not modelled":                 leaveOut,
	"transactions are not modelled":                   leaveOut,
	"caches are not modelled":                         leaveOut,
	"the cache is not modelled":                       leaveOut,
}

const leaveOut = "leave it out, if the test is not about it"

// refuse fails for a reason, with what to do about it.
func (p *parser) refuse(at program.Position, name, why string) {
	p.fail(at, instead[why], "%s: %s", name, why)
}

// refusedTypes is why types of C are.
var refusedTypes = map[string]string{
	"float": "floating point is not modelled", "double": "floating point is not modelled",
	"rwlock_t": "locks for readers and writers are not modelled",
}

// refuseType fails where a type stands that is known and not supported; it returns false.
func (c *cTest) refuseType() bool {
	if why := refusedTypes[c.tok.Text]; why != "" && c.tok.Kind == tokenName {
		c.refuse(c.tok.Pos, c.tok.Text, why)
	}
	return false
}

// sections are the words that the last part of a test begins with.
var sections = []string{"exists", "forall", "final", "locations", "filter"}

// meant is what may have been meant by a word that is no instruction.
func meant(name string, known []string) string {
	if hint := text.DidYouMean(strings.ToLower(name), sections); hint != "" {
		return hint
	}
	return text.DidYouMean(name, known)
}

// namesOf is the names of a table of instructions.
func namesOf[V any](table map[string]V) []string { return slices.Collect(maps.Keys(table)) }
