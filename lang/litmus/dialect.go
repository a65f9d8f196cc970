package litmus

import (
	"github.com/fencepost-verifier/fencepost/internal/text"
	"github.com/fencepost-verifier/fencepost/program"
)

// An architecture is what the first word of a test names.
type architecture struct {
	name     string
	tags     program.Arch // the vocabulary
	wordBits uint8        // bits of a register
	syntax   *text.Syntax
	speak    func(*parser) dialect
	// splits is true where an access may be wider than a cell.
	splits bool
	// bigEndian is true where the first byte of a value counts most.
	bigEndian bool
	// signedCells is true where what is loaded is a number with its sign.
	signedCells bool
}

// architectures lists what can be read.
var architectures = []architecture{
	{name: x86, tags: program.X86, wordBits: 32, syntax: &syntax, speak: newX86},
	{name: x8664, tags: program.X86, wordBits: 64, syntax: &syntax, speak: newX86},
	{name: "AArch64", tags: program.AArch64, wordBits: 64, syntax: &hashSyntax, speak: newRISC(aarch64{}), splits: true},
	{name: "RISCV", tags: program.RISCV, wordBits: 64, syntax: &syntax, speak: newRISC(riscv{}), splits: true, signedCells: true},
	{name: "C", tags: program.C11, wordBits: 64, syntax: &syntax, speak: newC, signedCells: true},
	{name: "PPC", tags: program.PPC, wordBits: 64, syntax: &syntax, speak: newRISC(ppc{}), splits: true, bigEndian: true},
}

func architectureNames() []string {
	var names []string
	for _, a := range architectures {
		names = append(names, a.name)
	}
	return names
}

// A dialect is what the threads of a test are written in: the instruction set of a
// processor, or C. The methods are called in the order in which they stand here.
type dialect interface {
	// find is the register of a thread that a name means; the other methods on
	// registers may be called at any time, too.
	find(thread int, name string) (register, bool)
	// spell is a register as herd7 prints it.
	spell(thread int, r register) string
	// count is how many registers a thread has.
	count(thread int) int
	// hint says what may have been meant by the name of a register that is none.
	hint(thread int, name string) string
	// taken is true of names that no variable can have.
	taken(name string) bool

	// program reads the threads.
	program()
	// names enters the variables that the threads name.
	names(b *builder)
	// use notes which registers they name and write.
	use(b *builder)
	// accesses lists how they use memory. The registers exist.
	accesses(b *builder) []access
	// lower makes the automaton of a thread. The cells exist.
	lower(b *builder, thread int)
}

// A base is a whole register of a thread, in the order of herd7.
type base int16

// A part is the width of a part of a register in bits; the second lowest byte
// of x86 has a part of its own.
type part uint8

const (
	low8  part = 8
	high8 part = 9
	low16 part = 16
	low32 part = 32
	all64 part = 64
)

func (p part) bits() uint8 {
	if p == high8 {
		return 8
	}
	return uint8(p)
}

func (p part) shift() int64 {
	if p == high8 {
		return 8
	}
	return 0
}

// A register is a part of a register as a test names it.
type register struct {
	base base
	part part
}

// word is the type of the values that a register of the width holds: they are
// unsigned, but for 64 bits.
func word(bits uint8) program.Type { return program.Type{Bits: bits, Signed: bits == 64} }

// An instruction is a cell of the table.
type instruction interface{ common() *head }

// A head is what all instructions have.
type head struct {
	at     program.Position
	text   string // as the source has it, perhaps in lower case
	label  token  // of a jump
	skip   *int   // of a jump without a label: how many instructions further
	target int    // the instruction that a jump leads to
}

func (h *head) common() *head { return h }

// jumps is whether there is a target.
func (h *head) jumps() bool { return h.label.Text != "" || h.skip != nil }

// An access is how an instruction uses memory.
type access struct {
	at   program.Position // of the operand
	text string           // of the operand
	in   string           // the instruction
	inAt program.Position
	// v is the variable, and addr the address, where that is constant.
	v    *variable
	addr int64
	// among is the variable where the address is not constant but known to be in it.
	among *variable
	bits  uint8            // 0 where neither the instruction nor a register tells
	tell  func(bits uint8) // tells the instruction, where bits is 0
}
