// Package c is the front end for C programs with threads: the text of a program
// goes in, a [program.Program] comes out, or a [program.Diagnostic] that says
// what is wrong with the text, or what in it is not modelled.
//
// Package [syntax] makes a tree of the text. What the parser leaves out of its types, above all
// _Atomic, package c reads off the declarations itself (declarations.go), which makes the types of
// package [types]. Functions are
// inlined into the thread that calls them (lower.go and the files beside it), and
// the result is a flow graph a thread ([flowgraph]), on which constants are propagated
// and the loops that create threads are unrolled (threads.go). The
// accesses to memory bear their C11 memory orders until package [target] chooses the
// instructions of a processor for them, or the operations of the Linux kernel.
//
// Addresses are those of a 64-bit machine, in bytes, and there is one cell for
// every scalar of an object (memory.go). What is done to threads and objects is an operation of the graphs until all of them are known,
// of package [operations]. Package [lowered] has them then: it makes the program smaller, and puts assertions where accesses may go astray.
// docs/c.md says what is modelled.
package c

import (
	"fmt"

	"github.com/fencepost-verifier/fencepost/internal/text"
	"github.com/fencepost-verifier/fencepost/lang/c/lowered"
	"github.com/fencepost-verifier/fencepost/lang/c/syntax"
	"github.com/fencepost-verifier/fencepost/lang/c/target"
	"github.com/fencepost-verifier/fencepost/program"
)

// A Mapping says how a sequentially consistent store is compiled for x86.
type Mapping string

// The mappings to x86. All else is alike in them: a read-modify-write is a locked
// instruction, a sequentially consistent fence an MFENCE, and any other access a
// plain move.
const (
	Xchg   Mapping = "xchg"   // an exchange; what compilers do
	MFence Mapping = "mfence" // a move and an MFENCE
	// Orders is no mapping: the operations are those of C11, with their memory orders
	// as tags, and the program is one for the models that know these.
	Orders Mapping = "c11"
	// Those to other processors are in package target, as is what the model of the Linux kernel knows.
	AArch64 Mapping = "aarch64"
	RISCV   Mapping = "riscv"
	Power   Mapping = "power"
	Kernel  Mapping = "lkmm"
)

// x86 is true of the mappings to its instructions, locked ones among them: whatever they do is one step.
func (m Mapping) x86() bool { return m == Xchg || m == MFence || m == "" }

// DefaultUnroll bounds, in [Options], what a program may do without end.
const DefaultUnroll = 8

// Options are what a compiler is told beside the text.
type Options struct {
	Defines []string // NAME or NAME=VALUE
	Include []string // folders to search for headers
	Std     string   // such as c11; empty: c11 with the extensions of GNU
	Mapping Mapping  // empty: Xchg
	// Unroll bounds how many threads or objects one place of the program
	// makes, and how deep a function calls itself. Where a run can get to a
	// bound the answer is no proof. 0: DefaultUnroll.
	Unroll int
	// Signals makes it known which waits for conditions end by signals, beside those that end by
	// themselves: for deadlocks and hangs. To what is reached otherwise it adds nothing.
	Signals bool
	// Races is for where nothing but data races is looked for: what may be wrong about conditions is not, so that
	// it need not be known who waits for them.
	Races bool
	// Overflow makes a violation of signed integers that overflow, in the place of wrapping
	// them around; Uninitialised of reads of local variables and of memory from malloc that
	// nothing has been written to; and Leaks of memory that has not been freed when the program ends.
	Overflow, Uninitialised, Leaks bool
	// Spurious lets a weak compare-exchange fail though it compares equal.
	Spurious bool
	// NoBlocks is for models that know read-modify-writes of one cell and nothing else that happens at
	// once: atomic sections and read-write locks are done by such.
	NoBlocks bool
	// NoFutileWaits leaves out the rounds of loops in which a thread wakes up from a wait for a condition
	// in vain, and does nothing else.
	NoFutileWaits bool
	// Dependencies is for models in which they order accesses, whatever the Mapping: what depends on a load goes
	// on doing so.
	Dependencies bool
	// Speculation is that of the model.
	Speculation target.Speculation
	// Ordered is for models in which stores come to memory in the order of the program, and loads are not
	// done before those that precede them: SC and TSO. What a thread has written before it tells others of it
	// is there for them then.
	Ordered bool
	// ReadFile reads the headers of the program itself; nil: there are none.
	ReadFile func(name string) ([]byte, error)
	// Args are the arguments of main, after the name of the program.
	Args []string

	whole bool // see [syntax.Options]
	depth int  // how deep a function calls itself; see shallow.go
}

// lowered is what of it all counts once the functions have been lowered.
func (o *Options) lowered() lowered.Options {
	return lowered.Options{
		Uninitialised: o.Uninitialised, Leaks: o.Leaks, Signals: o.Signals, NoFutileWaits: o.NoFutileWaits, NoBlocks: o.NoBlocks,
		Dependencies: o.Dependencies, Ordered: o.Ordered, Speculation: o.Speculation,
		X86: o.Mapping.x86(), Orders: o.Mapping == Orders, Kernel: o.Mapping == Kernel,
	}
}

// reading is what of it all the text depends on.
func (o *Options) reading() syntax.Options {
	return syntax.Options{Defines: o.Defines, Include: o.Include, ReadFile: o.ReadFile, Whole: o.whole}
}

// Parse reads a C program.
func Parse(src *program.Source, opts Options) (p *program.Program, err error) {
	if opts.Unroll <= 0 {
		opts.Unroll = DefaultUnroll
	}
	opts.depth = opts.Unroll
	opts.Leaks = opts.Leaks && !opts.Races // to look at what has not been freed is no access of the program
	switch opts.Mapping {
	case "":
		opts.Mapping = Xchg
	case Xchg, MFence, Orders:
	case AArch64, RISCV, Power, Kernel:
		opts.Speculation = max(opts.Speculation, target.BeforeLoads)
	default:
		return nil, fmt.Errorf("unknown mapping %q", opts.Mapping)
	}
	p, how, err := read(src, opts)
	if how.nested {
		if p := shallower(src, opts); p != nil {
			return p, nil
		}
	}
	if err != nil && how.partial { // the message may be of the rest of the headers
		opts.whole = true
		p, _, err = read(src, opts)
	}
	return p, err
}

// A way is how a program has been read.
type way struct {
	partial bool // with parts of our headers alone
	nested  bool // it was too large, and has functions that call themselves
}

// read reads a program with checked options.
func read(src *program.Source, opts Options) (p *program.Program, how way, err error) {
	var u *unit
	defer func() {
		if x := recover(); x != nil {
			f, ok := x.(text.Failure)
			if r, refused := x.(refusal); refused {
				f, ok = text.Failure{Diagnostic: r.Diagnostic}, true
			}
			if !ok {
				f.Diagnostic = &program.Diagnostic{Source: src, Msg: fmt.Sprintf("cannot be read: %.100v", x),
					Hint: "this is a mistake in Fencepost: please report the program"}
				if u != nil {
					f.Pos = u.here
				}
			}
			if f.Source != src && f.Pos.IsValid() {
				f.Pos.File = f.Source.Name
			}
			p, err = nil, f.Diagnostic
			how.nested = u != nil && u.tooLarge && u.nested
		}
	}()
	t, err := syntax.Read(src, opts.reading())
	if err != nil {
		return nil, how, err
	}
	how.partial = t.Partial()
	for known, more := (findings{}), true; more; {
		u = newUnit(src, t, &opts)
		u.known, u.lowered.Padded = known, known.padded
		u.operations.Known = lowered.Findings{Joins: known.joins, Agree: known.agree, Stays: known.stays, Wary: known.wary}
		p = u.build()
		known, more = u.findsMore()
	}
	p.Source = t.Source()
	t.Keep()
	if opts.NoBlocks {
		target.Gather(lowered.NewEffort(), p, opts.Speculation)
	}
	switch opts.Mapping {
	case AArch64:
		target.Compile(p, target.AArch64)
	case RISCV:
		target.Compile(p, target.RISCV)
	case Power:
		target.Compile(p, target.Power)
	case Orders:
		target.KeepOrders(p)
	case Kernel:
		target.MapToKernel(p)
	default:
		target.MapToX86(p, opts.Mapping == MFence)
	}
	return p, how, nil
}
