package fencepost

import (
	"fmt"
	"io"

	"github.com/fencepost-verifier/fencepost/internal/suggest"
	"github.com/fencepost-verifier/fencepost/lang/asm"
	"github.com/fencepost-verifier/fencepost/lang/promela"
	"github.com/fencepost-verifier/fencepost/program"
)

// A Form is a way to write a program down.
type Form string

// The forms.
const (
	Listing  Form = "text"    // what the engines see: threads as automata, a line for each edge
	Automata Form = "asm"     // the same for other tools, and for [Load]
	Graphviz Form = "dot"     // a graph
	Promela  Form = "promela" // a model for Spin, with a memory model and bounds of store buffers
)

// Convert writes p in a form. Of the options the memory model and Buffer are of interest, for
// [Promela] only. A program that the form has no words for is a [Diagnostic].
func Convert(w io.Writer, p *Program, f Form, opts ...Option) error {
	o := collect(opts).WithDefaults()
	switch f {
	case Listing:
		return program.Print(w, p)
	case Automata:
		if p.Ordered {
			return p.Diagnose(program.Position{}, "it was read for sc and tso only, and automata are for any model", "read it for no model")
		}
		return asm.Write(w, p)
	case Graphviz:
		return program.WriteDOT(w, p)
	case Promela:
		if err := o.Model.Takes(p); err != nil {
			return err
		}
		return promela.Write(w, p, promela.Options{Model: o.Model, Buffer: o.Buffer})
	}
	return fmt.Errorf("unknown form %q; %s", f, suggest.OneOf(string(f), []string{string(Listing), string(Automata), string(Graphviz), string(Promela)}, "forms"))
}
