package fencepost

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"time"

	"github.com/fencepost-verifier/fencepost/engine"
	"github.com/fencepost-verifier/fencepost/lang"
	"github.com/fencepost-verifier/fencepost/lang/c/target"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
)

// Options are what an answer depends on beside the program. The zero value means TSO, the
// portfolio of engines, no limit of time, and as much memory as the machine has free.
type Options struct {
	engine.Options
	// Defines gives constants of the program values.
	Defines map[string]int64
	// C says how C programs are read.
	C C
	// Property is what [Check] looks for.
	Property Property
	// Full leaves runs as the engine found them. Otherwise [Check] gives one without steps that
	// the violation does not need, and with few changes from thread to thread.
	Full bool
	// Timeout ends the work on one question; 0: never.
	Timeout time.Duration
}

// An Option sets some of the options. Those that have no function of their own here are set by
// a function literal.
type Option func(*Options)

// Under asks about a memory model; that of its architecture, such as TSO, unless it is given. For
// a model that is about C11, C is to be read with the same option; and what is read with SC or TSO is for
// these two, and refused under others.
func Under(m Model) Option { return func(o *Options) { o.Model = m } }

// By asks an engine of that name, such as "bmc".
func By(e EngineName) Option { return func(o *Options) { o.Engine = e } }

// Define gives a constant of the program a value.
func Define(name string, value int64) Option {
	return func(o *Options) {
		if o.Defines == nil {
			o.Defines = map[string]int64{}
		}
		o.Defines[name] = value
	}
}

// C is what there is to say about how C programs are read: macros, folders of headers, the
// standard, what a sequentially consistent store is on x86.
type C = lang.C

// ReadC says how C programs are read.
func ReadC(s C) Option { return func(o *Options) { o.C = s } }

// A Property is what [Check] looks for.
type Property string

// The properties.
const (
	// Stated is what the program itself says: its properties and assertions, and that it does
	// nothing that has no meaning, such as an access to what has been freed.
	Stated Property = ""
	// NoDeadlock: no run comes to a state that is not its end and from which no step leads.
	// Nothing else is looked for.
	NoDeadlock Property = "deadlock"
	// NoDataRace: no run under SC has two accesses to the same memory, one of them plain and
	// one a store, that happens-before does not order. Nothing else is looked for. The program
	// has to be one in C, which is read with the same option; the memory model is SC, whatever
	// the others say. It is another matter than [RaceFree].
	NoDataRace Property = "race"
	// NoLBRace: no execution of a program of C11 under RC11 has a race of load buffering: a read
	// that, where load buffering is allowed, could read what comes of it. Nothing else is
	// looked for.
	NoLBRace Property = "lb-race"
	// NoHang: no run comes to where every thread has come to its end, or waits in vain: it
	// stands, or goes in circles in which it changes nothing. Nothing else is looked for.
	NoHang Property = "liveness"
)

// For says what to look for, both to [Load] and to [Check].
func For(p Property) Option { return func(o *Options) { o.Property = p } }

// IsC is true of the name of a file that is read as C.
func IsC(name string) bool { return lang.IsC(name) }

// ofC11 is true of a model that is about the operations of C11, so that C is read for what it
// says, and not for what it becomes on x86. RA knows both.
func ofC11(m Model) bool {
	if m == "" || m.Operational() {
		return false
	}
	if m == memory.RA {
		return true
	}
	d, err := memory.Load(m)
	return err == nil && d.Arch == program.C11
}

// compiledFor is how C is compiled for the processors that the model is about, where they are not those of
// x86, or read for the kernel; else "".
func compiledFor(m Model) string {
	if m == "" || m.Operational() || m == memory.RA {
		return ""
	}
	d, err := memory.Load(m)
	if err != nil {
		return ""
	}
	return map[program.Arch]string{program.AArch64: "aarch64", program.RISCV: "riscv", program.PPC: "power", program.LKMM: "lkmm"}[d.Arch]
}

// speculation is that of a model. Of one that somebody has written all is possible.
func speculation(m Model) target.Speculation {
	switch {
	case m == "" || m.Operational() || m == memory.RA:
		return target.NoSpeculation
	case slices.Contains([]Model{memory.IMM, memory.ARMv8, memory.RISCV, memory.Power}, m):
		return target.BeforeLoads
	}
	if d, err := memory.Load(m); err == nil && d.OrdersReads() {
		return target.NoSpeculation
	}
	return target.BeforeBranches
}

// reading is how C is read, with the bound of loops, and as the property needs it.
func (o *Options) reading() C {
	s := o.C
	s.Orders = s.Orders || o.Property == NoDataRace || o.Property == NoLBRace || ofC11(o.Model)
	s.Signals = s.Signals || o.Property == NoDeadlock || o.Property == NoHang
	s.Races = s.Races || o.Property == NoDataRace
	if !s.Orders {
		s.Processor = compiledFor(o.Model)
	}
	mapping := cmp.Or(s.Mapping, s.Processor)
	s.NoBlocks = s.NoBlocks || ofC11(o.Model) || mapping != "" && compiledFor(o.Model) == mapping
	s.NoFutileWaits = s.NoFutileWaits || s.NoBlocks && o.Property == Stated && !o.Model.Certifies()
	// A model in a file may be about x86 and order by dependencies.
	s.Dependencies = s.Dependencies || o.Model != "" && !o.Model.Operational() && o.Model != memory.RA
	s.Speculation = max(s.Speculation, speculation(o.Model))
	s.Ordered = s.Ordered || (o.Model == SC || o.Model == TSO) && o.Property != NoLBRace
	if s.Unroll == 0 {
		s.Unroll = o.Unroll
	}
	return s
}

// Timeout ends the work after that time.
func Timeout(d time.Duration) Option { return func(o *Options) { o.Timeout = d } }

// MemoryLimit bounds what the engines may hold, in bytes.
func MemoryLimit(bytes int64) Option { return func(o *Options) { o.Options.MemoryLimit = bytes } }

func collect(opts []Option) *Options {
	o := &Options{}
	for _, set := range opts {
		set(o)
	}
	return o
}

// begin collects the options and starts the clock.
func begin(ctx context.Context, opts []Option) (context.Context, context.CancelFunc, *Options) {
	o := collect(opts)
	if o.Timeout > 0 {
		ctx, cancel := context.WithTimeout(ctx, o.Timeout)
		return yielding(ctx), cancel, o
	}
	ctx, cancel := context.WithCancel(ctx)
	return yielding(ctx), cancel, o
}

// yielding is ctx, and where there are no threads one that lets others work now and then as it is asked
// whether it is over: the clock that ends it is one of them.
func yielding(ctx context.Context) context.Context {
	if runtime.GOARCH != "wasm" {
		return ctx
	}
	return &yield{Context: ctx, last: time.Now()}
}

// A yield is a context where only one goroutine works at a time, so that last wants no lock.
type yield struct {
	context.Context
	last time.Time
}

// often is how long one may work until others do.
const often = 10 * time.Millisecond

func (y *yield) Err() error {
	if now := time.Now(); now.Sub(y.last) > often {
		y.last = now
		runtime.Gosched()
	}
	return y.Context.Err()
}
