package memory

import (
	"io/fs"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/program"
)

// TestRegisters: what herd7 works out from events of registers comes from a text that is built
// in, whatever the file of that name says; the files that it includes are those of the model.
func TestRegisters(t *testing.T) {
	read := func(name string) ([]byte, error) {
		switch {
		case strings.HasSuffix(name, "aarch64deps.cat"):
			return []byte("let data = [R]; rf-reg; iico_data\n"), nil
		case strings.HasSuffix(name, "aarch64util.cat"):
			return []byte("include \"cos.cat\"\nlet intervening(s, r) = r; [s]; r\nlet own = same-instance\n"), nil
		}
		return nil, fs.ErrNotExist
	}
	text := `
catdep
include "aarch64deps.cat"
let all = addr | data | ctrl | pick-addr-dep | pick-data-dep | pick-ctrl-dep | pick-dep | lwfs | lrs | own
with after from {rf | IC.IVAU * DC.CVAU}
acyclic all | after | co as ordered
`
	d, err := defineAt("/models/m.cat", "m.cat", program.AArch64, text, read)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range strings.Fields("addr data ctrl pick-addr pick-data pick-ctrl casdep rf co") {
		if !d.Cat.Mentions(name) {
			t.Errorf("the model does not mention %s", name)
		}
	}
}

// TestMerged: where a model of C11 has events that read and write, a read-modify-write is one.
func TestMerged(t *testing.T) {
	g := &Graph{}
	tags := program.NewTags("RLX", "RMW")
	i := g.Add(Event{Thread: InitialThread, Kind: Write, Loc: "x"})
	r := g.Add(Event{Kind: Read, Tags: tags, Loc: "x", Block: 1})
	w := g.Add(Event{Kind: Write, Tags: tags, Value: 1, Loc: "x", Block: 1})
	n := g.Add(Event{Kind: Write, Tags: program.NewTags("RLX"), Value: 2, Loc: "x"})
	g.RMW.Add(r, w)
	g.RF.Add(i, r)
	g.Order(i, w, n)
	const single = "let u = R & W\n"
	for _, tt := range []struct {
		text string
		ok   bool
	}{
		{"empty R & RMW", false},
		{single + "empty R & W", false}, // the two are in both
		{single + "empty (R \\ W) | (RMW \\ u) | (u \\ RMW)", true},
		{single + "empty [u]; po; [u]", true},                  // and nothing is between them
		{single + "empty [u]; ((rf^-1; co) \\ id); [u]", true}, // nor a from-read
		{single + "empty [u]; ((rf^-1; co) \\ id); [W \\ u]", false},
		{single + "irreflexive id", false},
		{single + "empty rmw", true},
		{single + "empty (po \\ co) & loc", true},
		{single + "empty [u]; po; [W \\ u]", false},
		{single + "empty (id \\ [_]) | ([_] \\ id) | (po? \\ (po | id)) | (po^* \\ po?)", true},
	} {
		d, err := DefineFor("m.cat", program.C11, tt.text+"\nempty 0\n", nil)
		if err != nil {
			t.Errorf("%s: %v", tt.text, err)
			continue
		}
		if got := d.Consistent(g); got != tt.ok {
			t.Errorf("%s: consistent is %v", tt.text, got)
		}
	}
	own := &Graph{}
	r = own.Add(Event{Kind: Read, Tags: tags, Value: 1, Loc: "x", Block: 1})
	w = own.Add(Event{Kind: Write, Tags: tags, Value: 1, Loc: "x", Block: 1})
	own.RMW.Add(r, w)
	own.RF.Add(w, r)
	d, err := DefineFor("m.cat", program.C11, single+"empty 0", nil)
	if err != nil {
		t.Fatal(err)
	}
	if d.Consistent(own) {
		t.Error("a read-modify-write reads what it writes itself")
	}
}

// TestKernelLocks: the kernel's lock.cat is built in, too.
func TestKernelLocks(t *testing.T) {
	read := func(name string) ([]byte, error) {
		if strings.HasSuffix(name, "lock.cat") {
			return []byte("include \"cross.cat\"\nwith rf from locks(RL)\n"), nil
		}
		return nil, fs.ErrNotExist
	}
	text := "include \"lock.cat\"\nacyclic [Marked]; po; [Srcu] | rcu-rscs | srcu-rscs | [Plain]; rf as order\n"
	if _, err := defineAt("/models/m.cat", "m.cat", program.LKMM, text, read); err != nil {
		t.Fatal(err)
	}
}

// TestAcquireReleaseSwap: what an atomic instruction with AL writes comes before what follows it
// in the thread, also where nothing stands before the instruction.
func TestAcquireReleaseSwap(t *testing.T) {
	for _, acquires := range []bool{true, false} {
		g := &Graph{}
		var tags []string
		if acquires {
			tags = append(tags, "A")
		}
		x := g.Add(Event{Thread: InitialThread, Kind: Write, Loc: "x", Addr: 1})
		y := g.Add(Event{Thread: InitialThread, Kind: Write, Loc: "y", Addr: 2})
		r := g.Add(Event{Kind: Read, Tags: program.NewTags(tags...), Loc: "y", Addr: 2, Block: 1})
		u := g.Add(Event{Kind: Write, Tags: program.NewTags("L"), Value: 1, Loc: "y", Addr: 2, Block: 1})
		w := g.Add(Event{Kind: Write, Value: 1, Loc: "x", Addr: 1})
		seen := g.Add(Event{Thread: 1, Kind: Read, Tags: program.NewTags("A"), Value: 1, Loc: "x", Addr: 1})
		old := g.Add(Event{Thread: 1, Kind: Read, Loc: "y", Addr: 2})
		g.RMW.Add(r, u)
		g.RF.Add(y, r)
		g.RF.Add(w, seen)
		g.RF.Add(y, old)
		g.Order(x, w)
		g.Order(y, u)
		if got := load(t, ARMv8).Consistent(g); got == acquires {
			t.Errorf("an acquire is %v: consistent is %v", acquires, got)
		}
	}
}
