// Package litmus reads litmus tests for x86, as the simulator herd7 reads them,
// into the program model.
//
// What comes in is a text such as
//
//	X86_64 SB
//	{ uint64_t x; uint64_t y; }
//	 P0            | P1            ;
//	 movq $1,(x)   | movq $1,(y)   ;
//	 mfence        |               ;
//	 movq (y),%rax | movq (x),%rax ;
//	exists (0:rax=0 /\ 1:rax=0)
//
// and what goes out is a [Test]: a [program.Program] with the threads
//
//	q0  store x <- 1   -> q1         q0  store y <- 1   -> q1
//	q1  fence          -> q2         q1  load rax <- x  -> end
//	q2  load rax <- y  -> end
//
// with the condition as its property, and with what it takes to print final
// states as herd7 does.
//
// Tests of the architecture X86_64 have their operands in the order of AT&T, the
// destination last, those of X86 in the order of Intel. Either way of writing
// an operand in memory is read in both: 8(%rax,%rbx,4), (x), [rax+rbx*4+8], [x].
// As in herd7 a number is an immediate operand, with or without a dollar.
//
// # Memory
//
// Addresses are numbers of bytes, and every variable has a page of its own, so
// that what arithmetic on addresses does can be computed. A scalar variable is
// one cell, an array one for each element. An access whose address is not
// constant is preceded by an [program.Assert] of kind [program.Fault]: where
// the address is not that of a cell of the right size, the test has no meaning.
//
// Where accesses of different sizes meet, a variable is several cells (split.go). Where all accesses to a
// scalar variable have one size, that is the size of its cell, whatever its
// declaration says: the variable is laid out with room behind it, and its
// declared type, int where there is none, is how its value is read in the end.
//
// # Registers
//
// A register of the program is a whole register of the processor: rax, or EAX
// on X86. A part of one is read by masking, and written as the architecture has
// it: 32 bits clear the others, 8 and 16 bits keep them. A register whose
// upper half always stays clear has 32 bits. One that its thread never writes
// is the constant that it starts with.
//
// A flag is a condition on the operands of the instruction that sets it. Only
// one that is read after these have changed, or beyond a jump, becomes a
// register.
//
// An instruction with a lock prefix, and xchg with memory, is one
// [program.Atomic] command. Without the prefix, an instruction that reads and
// writes memory is a load and then a store.
package litmus

import (
	"github.com/fencepost-verifier/fencepost/internal/text"
	"github.com/fencepost-verifier/fencepost/program"
)

// A Kind says what a test wants of its condition.
type Kind string

// The kinds of tests.
const (
	Allowed   Kind = "Allowed"   // exists: some final state is such
	Forbidden Kind = "Forbidden" // ~exists: no final state is such
	Required  Kind = "Required"  // forall: every final state is such
)

// A Test is a litmus test.
type Test struct {
	Name string
	Arch string // as the test has it: X86, X86_64
	Doc  string // the quoted text below the title; may be empty
	// Program is the test as a program. Its one property is the condition; a
	// test without a condition has none.
	Program *program.Program
	Kind    Kind
	// Condition is the condition as herd7 prints it, such as
	// exists (0:rax=0 /\ [x]=1).
	Condition string
	// Locations is what herd7 shows of a final state, in its order and as it
	// prints it: 0:rax, [x], a[1].
	Locations []string

	// AnyC is true of a test in C that calls nothing, so that it is C11 as well as the
	// kernel's.
	AnyC bool
	// Notes says what of the test does not count, a line each.
	Notes []string

	dialect dialect // with the instructions
	vars    *variables
	shown   []shownValue
	labels  map[int64]string // how addresses of labels are shown
	cond    program.Expr     // of the condition, without the filter; Const(1) where there is none
}

// Parse reads a test and returns its program. The error is always a
// [*program.Diagnostic].
func Parse(src *program.Source) (*program.Program, error) {
	t, err := ParseTest(src)
	if err != nil {
		return nil, err
	}
	return t.Program, nil
}

// ParseTest reads a test. The error is always a [*program.Diagnostic].
func ParseTest(src *program.Source) (t *Test, err error) {
	defer text.Recover(&err)
	p := &parser{src: src, lex: newLexer(src)}
	p.header()
	p.initialState()
	p.dialect.program()
	p.finalPart()
	return build(p), nil
}
