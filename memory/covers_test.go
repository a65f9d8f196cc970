package memory

import (
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/internal/progtest"
	"github.com/fencepost-verifier/fencepost/program"
)

func TestCovers(t *testing.T) {
	load := program.Command{Op: program.Load, Reg: 0, Addr: progtest.X}
	store := program.Command{Op: program.Store, Addr: progtest.X, Value: program.Const(1)}
	other := program.Command{Op: program.Store, Addr: progtest.Y, Value: program.Const(1)}
	through := func(c program.Command, r program.Reg) program.Command {
		c.Addr = r
		return c
	}
	check := program.Command{Op: program.Check, Value: program.Reg(0)}
	block := define(t, "acyclic block?; (po \\ block); block?")
	silent := define(t, "empty rmw & (fre; coe)\nflag ~empty block as block")
	indirect := define(t, "let rec r = po | s and s = r | block\nacyclic r \\ id")
	for _, c := range []struct {
		name string
		body []program.Command
		want string
	}{
		{"a store", []program.Command{check, store}, ""},
		{"an exchange", []program.Command{load, store}, ""},
		{"a compare-and-swap", []program.Command{load, check, store}, ""},
		{"a store to what was loaded", []program.Command{through(load, 1), through(store, 1)}, ""},
		{"two cells", []program.Command{store, other}, "an atomic block of several accesses"},
		{"a load and a store elsewhere", []program.Command{load, other}, "an atomic block of several accesses"},
		{"a store, then a load", []program.Command{store, load}, "an atomic block of several accesses"},
		{"two loads", []program.Command{load, load}, "an atomic block of several accesses"},
		{"three accesses", []program.Command{load, store, store}, "an atomic block of several accesses"},
		{"an address that is loaded", []program.Command{through(load, 0), through(store, 0)}, "an atomic block of several accesses"},
	} {
		b := progtest.New(2)
		th := b.Thread()
		th.Reg("r")
		th.Reg("s")
		th.Atomic(c.body...)
		p := b.Build(t)
		for _, d := range []*Definition{block, indirect} {
			if err := d.Covers(p); err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
		}
		got := ""
		if err := silent.Covers(p); err != nil {
			got = err.Error()
		}
		if (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	b := progtest.New(1)
	b.Thread().Op(program.Lock).Op(program.Unlock)
	if err := silent.Covers(b.Build(t)); err == nil || !strings.Contains(err.Error(), "a locked section") {
		t.Errorf("a lock: %v", err)
	}
}
