package core

import (
	"context"
	"fmt"
	"slices"

	"github.com/fencepost-verifier/fencepost/explore"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// searchMemory is what a search may hold here, in bytes: it is to answer while somebody waits.
const searchMemory = 64 << 20

// Readable is the values that a load of a thread from a cell could read under a model, ascending,
// if all threads have done and read what they have in the run. There are none where the model
// does not allow the run so far. Blocks of several accesses count as accesses between fences.
func Readable(ctx context.Context, run *verdict.Run, m memory.Model, thread, cell int) (values []int64, err error) {
	t := follow(run)
	t.threads[thread] = append(t.threads[thread], access{kind: load, cell: cell})
	p := t.program(thread)
	ends, r, err := explore.FinalStates(ctx, p, explore.Options{Model: m, MemoryLimit: searchMemory})
	if err != nil {
		return nil, err
	}
	if !r.Safe() {
		return nil, fmt.Errorf("what could be read is too much to be found out: %s", r.Reason())
	}
	for _, e := range ends {
		values = append(values, e.Regs[thread][0])
	}
	slices.Sort(values)
	return slices.Compact(values), nil
}

// program is t without text: a load goes on only with the value that it read, but for the last one
// of a thread.
func (t *test) program(free int) *program.Program {
	p := &program.Program{Name: "core", Default: program.Type{Bits: 64, Signed: true}}
	for i, c := range t.cells {
		p.Memory = append(p.Memory, program.Cell{Addr: int64(i), Name: c.Name, Type: c.Type, Init: t.init[i]})
	}
	for i, th := range t.threads {
		b := &program.Thread{Name: fmt.Sprintf("P%d", i)}
		for _, name := range []string{"r", "seen"} {
			b.Regs = append(b.Regs, program.Register{Name: name, Type: p.Default})
		}
		state := func() program.StateID {
			b.States = append(b.States, program.State{Name: fmt.Sprintf("q%d", len(b.States))})
			return program.StateID(len(b.States) - 1)
		}
		state()
		emit := func(c program.Command) {
			to := state()
			b.Edges = append(b.Edges, program.Edge{From: to - 1, To: to, Cmd: c})
		}
		for k, a := range th {
			at := program.Const(a.cell)
			read := program.Command{Op: program.Load, Addr: at, Reg: 1}
			same := program.Command{Op: program.Check, Value: program.Binary{Op: program.Eq, X: program.Reg(1), Y: program.Const(a.seen)}}
			write := program.Command{Op: program.Store, Addr: at, Value: program.Const(a.stored)}
			switch {
			case a.kind == load && i == free && k == len(th)-1:
				read.Reg = 0
				emit(read)
			case a.kind == load:
				emit(read)
				emit(same)
			case a.kind == store:
				emit(write)
			case a.kind == update:
				emit(program.Command{Op: program.Atomic, Body: []program.Command{read, same, write}})
			case a.kind == fence:
				emit(program.Command{Op: program.Fence})
			default:
				emit(program.Command{Op: program.Fence, Tags: program.NewTags(program.TagSFence)})
			}
		}
		p.Threads = append(p.Threads, b)
	}
	return p
}
