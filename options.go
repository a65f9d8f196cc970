package fencepost

import (
	"context"
	"time"

	"github.com/fencepost-verifier/fencepost/engine"
	"github.com/fencepost-verifier/fencepost/lang"
)

// Options are what an answer depends on beside the program. The zero value means TSO, the
// portfolio of engines, no limit of time, and as much memory as the machine has free.
type Options struct {
	engine.Options
	// Defines gives constants of the program values.
	Defines map[string]int64
	// C says how C programs are read.
	C C
	// Timeout ends the work on one question; 0: never.
	Timeout time.Duration
}

// An Option sets some of the options. Those that have no function of their own here are set by
// a function literal.
type Option func(*Options)

// Under asks about a memory model; TSO unless it is given.
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

// reading is that, with the bound of loops.
func (o *Options) reading() C {
	s := o.C
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
		return ctx, cancel, o
	}
	ctx, cancel := context.WithCancel(ctx)
	return ctx, cancel, o
}
