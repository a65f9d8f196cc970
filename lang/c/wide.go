package c

import (
	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/target"
	"github.com/fencepost-verifier/fencepost/program"
)

// wide writes a load or store whose parts these are.
func (l *lowerer) wide(text string, parts []program.Command) {
	switch {
	case len(parts) == 0:
	case len(parts) == 1:
		l.emit(parts[0])
	case text == flowgraph.WideStore && parts[0].Tags.Has(target.OrderTag[seqCst]):
		l.emit(program.Command{Op: program.Atomic, Text: "xchg", Body: parts})
	default:
		l.emit(program.Command{Op: program.Atomic, Text: text, Body: parts})
	}
}
