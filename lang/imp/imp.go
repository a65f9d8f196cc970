// Package imp reads IMP, the language of the thesis (fig. 2.1) in ASCII, into
// the program model.
//
// What comes in is a text such as
//
//	program Handshake
//	variables flag = data = 0
//	process Writer begin data := 1; flag := 1 end
//	process Reader
//	  local r
//	begin
//	  await flag = 1;
//	  r := data;
//	  done: skip
//	end
//	forbid Reader@done & Reader.r = 0
//
// and what goes out is a [program.Program] with two threads. That of Reader is
//
//	q0    load $1 <- flag   -> q1
//	q1    check $1 == 1     -> q2
//	q1    check $1 != 1     -> q0
//	q2    load r <- data    -> done
//	done  skip              -> end
//
// Each read of a shared variable is a load of its own, into a temporary
// register where an expression needs the value; conditions become checks on
// the two edges of a branch, and a loop goes back to its head.
//
// docs/imp.md describes the language.
package imp

import (
	"github.com/fencepost-verifier/fencepost/internal/text"
	"github.com/fencepost-verifier/fencepost/program"
)

// Parse reads a program, and with the last of include what it includes; without, nothing can be included.
// Defines overrides the values of constants of the program. The error is always a
// [*program.Diagnostic].
func Parse(src *program.Source, defines map[string]int64, include ...Include) (p *program.Program, err error) {
	defer text.Recover(&err)
	parser := newParser(src, last(include))
	f := parser.program()
	src = parser.whole()

	d := &declarer{
		src:     src,
		prog:    &program.Program{Name: f.name, Source: src, Default: program.Int32Type},
		globals: scope{names: map[string]*symbol{}},
	}
	checkDefines(src, f.consts, defines)
	d.constants(f.consts, defines)
	d.memory(f.vars)
	d.procedures(f.subs)
	d.processes(f.procs)
	if len(f.procs) == 0 {
		d.fail(f.at, "a process is: process P begin .. end", "the program has no process")
	}
	d.check()
	edges := 0
	for _, fam := range d.procs {
		for n := range fam.threads() {
			lowerThread(d, fam, n, &edges)
		}
	}
	for _, pr := range f.props {
		d.property(pr)
	}
	return d.prog, nil
}
