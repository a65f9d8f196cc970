// Package fencepost verifies concurrent programs on hardware that buffers its stores: it decides
// whether a program is correct under TSO (x86, SPARC), PSO or sequential consistency, with a
// proof or with a run that breaks it, and finds the fences that it needs.
//
//	p, err := fencepost.Load("dekker.imp")
//	r, err := fencepost.Check(ctx, p, fencepost.Under(fencepost.TSO))
//	fmt.Print(r)            // as the command shows it
//	if run := r.Run(); run != nil { ... }
//
// A program comes in by [Load] or [Read], and each question about it is a function: [Check],
// [FinalStates], [Robust], [Fences], [Explain], [Explore], [Compare]; [Litmus] asks them of
// tests by the thousand. A result goes out. It has what its type in package verdict has, and
// prints itself. What a question depends on beside the program is an [Option].
//
// An error is a [Diagnostic] where the input is at fault, and anything else is a defect in
// Fencepost or the failure of a program that was named in the options ([SolverError]). A context
// that ends early is no error: the result is then unknown, and says how far it got.
//
// The package is the face of the others in this module, and nothing but a face; package
// fencetest calls it from tests.
package fencepost

import (
	"io"
	"io/fs"

	"github.com/fencepost-verifier/fencepost/examples"
	"github.com/fencepost-verifier/fencepost/lang"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/solver"
)

// A Program is what engines see of a source text.
type Program = program.Program

// A Diagnostic says what is wrong with an input, and where.
type Diagnostic = program.Diagnostic

// A Source is a text, for messages about it.
type Source = program.Source

// A SolverError is the failure of a SAT solver that is a program of the user's.
type SolverError = solver.ProgramError

// Stdin names a text that has no file, for [Read]. It is taken to be IMP.
const Stdin = lang.Stdin

// Load reads the program in a file, in the language that the extension of its name tells. Of
// the options [Define] is for IMP; C is read for a question, and wants all the options that
// [Check] will have: what it is asked for, the model, and Unroll, beside [ReadC].
func Load(path string, opts ...Option) (*Program, error) {
	o := collect(opts)
	return lang.Load(path, o.Defines, o.reading())
}

// Read is [Load] for a text that does not come from a file; the name has an extension, or is
// [Stdin].
func Read(name string, r io.Reader, opts ...Option) (*Program, error) {
	o := collect(opts)
	return lang.Read(name, r, o.Defines, o.reading())
}

// Extensions lists the extensions of the names of files that [Load] reads.
func Extensions() []string { return lang.Extensions() }

// Unreadable is what to say of a file that cannot be read.
func Unreadable(name string, err error) error { return lang.Unreadable(name, err) }

// Examples has the programs that come with Fencepost, by name: IMP at the top, C in c, litmus
// tests in litmus.
func Examples() fs.FS { return examples.Files }
