// Package memory is the memory models that programs are checked under, as data.
//
// A model is a text in the cat language, which package cat reads: some are built in,
// others are files. Its name goes in and a
// [Definition] comes out. The other thing that goes in is an execution [Graph]:
// events and how they are related. What comes out then is the axioms that the
// graph violates, each with a witness and an explanation of the witness in terms
// of program order and of who reads from whom.
package memory

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fencepost-verifier/fencepost/program"
)

// A Model names a memory model: one of the constants, or a file with a
// definition, whose name ends in ".cat".
type Model string

// The models that have an operational semantics, too, with store buffers.
const (
	// SC is sequential consistency: a store is in memory at once.
	SC Model = "sc"
	// TSO is total store order, as x86 and SPARC have it: a thread's stores
	// pass through a first-in first-out buffer that only the thread sees.
	TSO Model = "tso"
	// PSO is partial store order, as SPARC has it: as TSO, with a buffer for
	// every address, so that stores to different addresses may pass each other.
	PSO Model = "pso"
)

// The models that are axioms alone.
const (
	// RA is release and acquire: every store releases, every load acquires.
	RA Model = "ra"
	// RC11 is the repaired model of C11.
	RC11 Model = "rc11"
	// Weakestmo2 is RC11 with load buffering, as far as other runs of a thread justify it: not
	// all that it says is axioms on one execution.
	Weakestmo2 Model = "weakestmo2"
	// C11 is C11 as it was published.
	C11 Model = "c11"
	// IMM is the intermediate model between C11 and processors.
	IMM Model = "imm"
	// ARMv8 is 64-bit Arm.
	ARMv8 Model = "armv8"
	// RISCV is the weak memory order of RISC-V.
	RISCV Model = "riscv"
	// Power is IBM Power.
	Power Model = "power"
	// LKMM is the model of the Linux kernel.
	LKMM Model = "lkmm"
)

// A builtin is a model that is built in.
type builtin struct {
	model Model
	arch  program.Arch // whose names it uses
	any   bool         // it uses none, and is for every architecture
}

var builtins = []builtin{
	{model: SC, any: true}, {model: TSO}, {model: PSO}, {model: RA, any: true}, {model: RC11, arch: program.C11},
	{model: Weakestmo2, arch: program.C11}, {model: C11, arch: program.C11}, {model: IMM, arch: program.C11}, {model: ARMv8, arch: program.AArch64},
	{model: RISCV, arch: program.RISCV}, {model: Power, arch: program.PPC}, {model: LKMM, arch: program.LKMM},
}

// Models lists the models that are built in: those of [Operational], and the others.
func Models() []Model {
	var ms []Model
	for _, b := range builtins {
		ms = append(ms, b.model)
	}
	return ms
}

// Operational lists the models that have an operational semantics, the strongest first.
func Operational() []Model { return []Model{SC, TSO, PSO} }

// Operational is true of a model that has an operational semantics.
func (m Model) Operational() bool { return slices.Contains(Operational(), m) }

// Certifies is true of a model under which an execution may have to be justified by others, so
// that its axioms allow more than it does.
func (m Model) Certifies() bool { return m == Weakestmo2 }

func (m Model) builtin() *builtin {
	for i := range builtins {
		if builtins[i].model == m {
			return &builtins[i]
		}
	}
	return nil
}

// Arch is whose instructions or operations a model that is built in speaks of, and
// whether that is all it speaks of. A file says nothing about that.
func (m Model) Arch() (a program.Arch, only bool) {
	if b := m.builtin(); b != nil {
		return b.arch, !b.any
	}
	return program.X86, false
}

// Takes is a [program.Diagnostic] where p was read for stronger models than m.
func (m Model) Takes(p *program.Program) error {
	if p.Ordered && m != SC && m != TSO {
		return p.Diagnose(program.Position{}, fmt.Sprintf("it was read for sc and tso, not for %s", m), "read it for the model that it is asked about under")
	}
	return nil
}

// Default is the model that programs of an architecture are run under where none is
// named: that of the architecture itself.
func Default(a program.Arch) Model {
	for _, b := range builtins {
		if b.arch == a && !b.any {
			return b.model
		}
	}
	return TSO
}

// Parse is the model of that name. Whether a file exists, and what it says, is
// for [Load] to find out.
func Parse(name string) (Model, error) {
	if m := Model(name); m.builtin() != nil || isFile(name) {
		return m, nil
	}
	return "", fmt.Errorf("unknown memory model %q (known: %s, and files that end in .cat)", name, strings.Join(names(Models()), ", "))
}

func names(ms []Model) (ns []string) {
	for _, m := range ms {
		ns = append(ns, string(m))
	}
	return ns
}
