package graphs

import (
	"testing"

	"github.com/fencepost-verifier/fencepost/internal/progtest"
	"github.com/fencepost-verifier/fencepost/lang/c"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
)

// TestCheckBlocked has an assertion that fails while another thread waits in an atomic command, for a value that depends on what
// comes after such a command.
func TestCheckBlocked(t *testing.T) {
	b := progtest.New(3)
	th := b.Thread() // of fewer loads, and so the first
	th.Load("a", progtest.X)
	th.Store(progtest.Y, program.Binary{Op: program.Sub, X: th.Reg("a"), Y: program.Const(6)})
	th.Atomic(program.Command{Op: program.Load, Reg: int(th.Reg("b")), Addr: progtest.X},
		program.Command{Op: program.Check, Value: progtest.Eq(th.Reg("b"), 0)})
	th = b.Thread()
	th.Atomic(program.Command{Op: program.Load, Reg: int(th.Reg("c")), Addr: progtest.Y},
		program.Command{Op: program.Check, Value: progtest.Eq(th.Reg("c"), 1)})
	th.Store(progtest.X, program.Const(7))
	th.Load("d", progtest.Z).Load("d", progtest.Z)
	th.Assert(program.Const(0))
	p := b.Build(t)
	p.Arch = program.AArch64
	def := load(t, memory.ARMv8, p.Arch)
	r, err := Check(t.Context(), p, def, Options{})
	if err != nil || !r.Unsafe() {
		t.Errorf("%v, %v", r, err)
	}
}

// TestCheckMemory has a long execution that is built with too little memory.
func TestCheckMemory(t *testing.T) {
	b := progtest.New(1)
	for range 2 {
		th := b.Thread()
		for i := range 200 {
			th.Store(progtest.X, program.Const(int64(i)))
		}
	}
	p := b.Build(t)
	p.Arch = program.AArch64
	def := load(t, memory.ARMv8, p.Arch)
	r, err := Check(t.Context(), p, def, Options{MemoryLimit: 1 << 20})
	if err != nil || r.Reason() != Reason(ErrMemory) {
		t.Errorf("%v, %v", r, err)
	}
}

// TestCheckStands has threads that wait in an atomic command for what they read second in it, and assertions that fail elsewhere.
func TestCheckStands(t *testing.T) {
	for name, body := range map[string]func(th *progtest.Thread) []program.Command{
		"second read": func(th *progtest.Thread) []program.Command {
			return []program.Command{{Op: program.Load, Reg: int(th.Reg("a")), Addr: progtest.X}, {Op: program.Load, Reg: int(th.Reg("b")), Addr: progtest.Y},
				{Op: program.Check, Value: progtest.Eq(th.Reg("b"), 1)}, {Op: program.Store, Addr: progtest.X, Value: program.Const(1)}}
		},
		"both": func(th *progtest.Thread) []program.Command {
			return []program.Command{{Op: program.Load, Reg: int(th.Reg("a")), Addr: progtest.X}, {Op: program.Load, Reg: int(th.Reg("b")), Addr: progtest.Y},
				{Op: program.Check, Value: program.Binary{Op: program.Eq, X: th.Reg("a"), Y: program.Binary{Op: program.Add, X: th.Reg("b"), Y: program.Const(1)}}}}
		},
	} {
		b := progtest.New(3)
		th := b.Thread()
		th.Atomic(body(th)...)
		th = b.Thread()
		th.Load("c", progtest.Z)
		th.Assert(program.Const(0))
		p := b.Build(t)
		p.Arch = program.AArch64
		def := load(t, memory.ARMv8, p.Arch)
		if r, err := Check(t.Context(), p, def, Options{}); err != nil || !r.Unsafe() {
			t.Errorf("%s: %v, %v", name, r, err)
		}
	}
}

// TestCheckMutex has threads that take a mutex, under imm: nothing that one does once it has it can come before that.
func TestCheckMutex(t *testing.T) {
	p, err := c.Parse(&program.Source{Name: "m.c", Text: `#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; int x;
void *f(void *p) { pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); return 0; }
int main(void) { pthread_t t[3]; for (int i = 0; i < 3; i++) pthread_create(&t[i], 0, f, 0); return 0; }`}, c.Options{Mapping: c.Orders})
	if err != nil {
		t.Fatal(err)
	}
	r, err := Check(t.Context(), p, load(t, memory.IMM, p.Arch), Options{})
	if err != nil || !r.Safe() || r.Stat("executions") != 6 || r.Stat("visits") > 1000 {
		t.Errorf("%v, %v, %d executions, %d visits", r, err, r.Stat("executions"), r.Stat("visits"))
	}
}

// TestCheckOffered has two reads that wait for the same write, which is offered to each of them once.
func TestCheckOffered(t *testing.T) {
	b := progtest.New(2)
	b.Thread().Load("a", progtest.X)
	th := b.Thread()
	th.Load("b", progtest.X).Store(progtest.Y, th.Reg("b"))
	th = b.Thread()
	th.Load("c", progtest.Y).Store(progtest.X, th.Reg("c"))
	p := b.Build(t)
	p.Arch = program.PPC
	if r, err := Check(t.Context(), p, load(t, memory.Power, p.Arch), Options{}); err != nil || r.Stat("executions") != 6 {
		t.Errorf("%v, %v, %d executions", r, err, r.Stat("executions"))
	}
}
