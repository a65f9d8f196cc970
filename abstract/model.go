package abstract

import (
	"context"
	"fmt"

	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
)

// buffers is the store buffers of the memory models that have an operational
// semantics.
var buffers = map[memory.Model]Buffer{
	memory.SC:  None{},
	memory.TSO: FIFO{},
	memory.PSO: PSO{},
}

// Compile is [New] for a memory model, or for an abstraction of TSO where that is
// not nil. Capacity bounds buffers that are not immediate; 0: no bound.
func Compile(p *program.Program, m memory.Model, abstraction Buffer, capacity int) (*System, error) {
	return CompileContext(context.Background(), p, m, abstraction, capacity)
}

// CompileContext is [Compile] that stops when ctx ends; see [program.AnalyseContext].
func CompileContext(ctx context.Context, p *program.Program, m memory.Model, abstraction Buffer, capacity int) (*System, error) {
	b := buffers[m]
	switch {
	case abstraction != nil && m != memory.TSO:
		return nil, fmt.Errorf("the abstractions of store buffers are of tso, not of %s", m)
	case abstraction != nil:
		b = abstraction
	case b == nil:
		return nil, fmt.Errorf("there is no store buffer for the memory model %q", m)
	}
	var err error
	p, whole := p.Joined()
	if !whole {
		return nil, fmt.Errorf("accesses of several cells between the parts of which others come in have no states")
	}
	if p.Wide() {
		if b, err = WithRoom(b, p); err != nil {
			return nil, err
		}
	}
	r, err := program.AnalyseContext(ctx, p)
	if err != nil {
		return nil, err
	}
	if b.Immediate() {
		capacity = 0
	}
	return New(p, r, b, capacity)
}
