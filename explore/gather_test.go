package explore

import (
	"fmt"
	"testing"

	"github.com/fencepost-verifier/fencepost/internal/progtest"
	"github.com/fencepost-verifier/fencepost/lang"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
)

// gathered is a program in which P0, P1 and P2 are alike, and M waits for them in a row. What comes behind or between, and the
// properties, differ from case to case.
func gathered(waits, behind, thread, property string) string {
	return fmt.Sprintf(`program G variables x, d0 = d1 = d2 = 0
	process P0 local r begin r := x; x := r + 1; %[3]s d0 := 1 end
	process P1 local r begin r := x; x := r + 1; %[3]s d1 := 1 end
	process P2 local r begin r := x; x := r + 1; %[3]s d2 := 1 end
	process M local a, b, c, s begin %[1]s; %[2]s end
	%[4]s`, waits, behind, thread, property)
}

// gatheredSteps is how many steps are one at most.
func gatheredSteps(s *search) (most int) {
	if s.rows == nil {
		return 0
	}
	for t, th := range s.p.Threads {
		for e := range th.Edges {
			if n := len(s.rows.Row(t, e)); n > 1 {
				most = max(most, n)
			}
		}
	}
	return most
}

// TestGather holds searches in which steps are gathered against those in which they are not, where gathering them is right, and
// where it would not be.
func TestGather(t *testing.T) {
	const waits = "atomic begin a := d0; assume a != 0 end; atomic begin b := d1; assume b != 0 end; atomic begin c := d2; assume c != 0 end"
	const labelled = "atomic begin a := d0; assume a != 0 end; mid: atomic begin b := d1; assume b != 0 end; atomic begin c := d2; assume c != 0 end"
	for name, test := range map[string]struct {
		text     string
		unsafe   bool
		gathered int
	}{
		"lost update": {gathered(waits, "s := x; assert s = 3", "", ""), true, 3},
		"bound":       {gathered(waits, "s := x; assert s <= 3", "", ""), false, 3},
		"not before":  {gathered(waits, "s := x; assert s >= 1", "", ""), false, 3},
		// d0 is 0 again before d1 is not.
		"0 again": {`program G variables x, d0 = d1 = d2 = 0
			process P0 local r begin r := x; x := r + 1 end process P1 local r begin r := x; x := r + 1 end
			process Q local r begin d0 := 1; r := x; atomic begin assume r = 2 end; d0 := 0; d1 := 1; d2 := 1 end
			process M local a, b, c begin ` + waits + `; assert x = 7 end`, true, 2},
		"a moment between":           {gathered(labelled, "skip", "", "forbid M@mid & d2 = 0"), true, 0},
		"anywhere but at the first":  {gathered("st: "+waits, "skip", "w: skip;", "forbid not M@st & P0@w forbid not M@st & P1@w forbid not M@st & P2@w"), true, 2},
		"anywhere but where it ends": {gathered(waits, "e: assert x < 3", "", "forbid not M@e & x = 3"), true, 3},
		"another way": {gathered("atomic begin a := d0; assume a != 0 end; choose atomic begin b := d1; assume b != 0 end; atomic begin c := d2; assume c != 0 end [] assert s = 1 end",
			"skip", "", ""), true, 2},
		"come to from elsewhere": {gathered("choose s := 1 [] atomic begin a := d0; assume a != 0 end end; atomic begin b := d1; assume b != 0 end; atomic begin c := d2; assume c != 0 end",
			"assert s = 0", "", ""), true, 2},
		"come to at first": {gathered("st: atomic begin a := d0; assume a != 0 end; s := s + 1; assert s != 1; atomic begin b := d1; assume b != 0 end; goto st", "skip", "", ""), true, 0},
		"narrow": {`program G variables x, d0 = d1 = d2 = 0
			process P0 begin d0 := 1 end process P1 begin d1 := 256 end process P2 begin d2 := 256 end
			process M local int8 a, b, c begin ` + waits + `; assert false end`, true, 2},
		"something else as well": {gathered("atomic begin a := d0; assume a != 0; x := 5 end; atomic begin b := d1; assume b != 0 end; atomic begin c := d2; assume c != 0 end",
			"skip", "assert r != 5;", ""), true, 2},
		// First one value, then the other.
		"a certain value": {`program G variables x, d0 = d1 = d2 = 0
			process P0 local r begin r := x; x := r + 1 end process P1 local r begin r := x; x := r + 1 end
			process Q begin d0 := 1; d0 := 2; d1 := 1 end
			process M local a, b begin atomic begin a := d0; assume a = 1 end; atomic begin b := d1; assume b = 1 end; assert false end`, true, 0},
		"not a wait": {`program G variables x, d0 = d1 = d2 = 0
			process P0 local r begin r := x; x := r + 1 end process P1 local r begin r := x; x := r + 1 end
			process Q begin d0 := 1; d1 := 1 end
			process M local a, b, s, t begin atomic begin a := d0; s := a != 0 end; atomic begin b := d1; t := b != 0 end; assert s = 1 or t = 0 end`, true, 0},
		"any value": {`program G variables x, d0 = d1 = d2 = 0
			process P0 local r begin r := x; x := r + 1 end process P1 local r begin r := x; x := r + 1 end
			process Q local r begin r := 1; d0 := r; r := 0; d0 := r; d1 := 1 end
			process M local a, b begin atomic begin a := d0; assume a != 0 end; atomic begin b := d1; assume b != 0 end; assert false end`, true, 0},
		"no start": {`program G variables x, f, h
			process P0 local r begin r := x; x := r + 1 end process P1 local r begin r := x; x := r + 1 end
			process Q local r, s begin r := f; s := h; assert r = 0 or s = 1 end
			process M begin atomic begin f := 1 end; atomic begin h := 1 end end`, true, 0},
		"result in a property": {gathered(waits, "skip", "", "exists M.a = 1"), true, 2},
		"result used":          {gathered(waits, "assert a = 0", "", ""), true, 2},
		"deadlock":             {gathered(waits, "atomic begin s := x; assume s = 7 end", "", "forbid deadlock"), true, 0},
	} {
		p, err := lang.Parse(&program.Source{Name: "g.imp", Text: test.text}, nil)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		s, err := newSearch(t.Context(), p, Options{Symmetry: Symmetry}, nil)
		if err != nil || gatheredSteps(s) != test.gathered {
			t.Errorf("%s: %d steps gathered, %v", name, gatheredSteps(s), err)
		}
		for _, m := range []memory.Model{memory.SC, memory.TSO} {
			for _, opts := range modes {
				opts.Model = m
				plain := check(t, p, opts)
				opts.Symmetry = Symmetry
				res := check(t, p, opts)
				if plain.Unsafe() != test.unsafe || res.Verdict() != plain.Verdict() {
					t.Errorf("%s, %s: %v with symmetry, %v without", name, modeName(opts), res.Verdict(), plain.Verdict())
				}
				if test.gathered == 3 && opts.Reduction != LocalFirst && res.Stat("symmetric orders") != 6 {
					t.Errorf("%s, %s: symmetry of %d", name, modeName(opts), res.Stat("symmetric orders"))
				}
			}
		}
	}
}

// TestGatherStarts: a property may tell where a thread that starts others is from where it is when it has started them all.
func TestGatherStarts(t *testing.T) {
	for name, test := range map[string]struct {
		where    string // main must not be elsewhere while one of those that it starts is at w; "": nor the last not started
		unsafe   bool
		gathered int
	}{
		"not begun": {"begin", true, 3},
		"between":   {"mid", true, 2},
		"behind":    {"end", true, 2},
		"later":     {"later", true, 3},
		"by cell":   {"", true, 2},
	} {
		const threads = 3
		b := progtest.New(threads + 1)
		main := b.Thread().Label("begin")
		for i := range threads {
			main.Atomic(program.Command{Op: program.Store, Addr: program.Const(i), Value: program.Const(1)})
			if i == 0 {
				main.Label("mid")
			}
		}
		main.Label("end").Skip().Label("later")
		for i := range threads {
			th := b.Thread()
			th.Thread.States[th.Cur].Kind = program.Unstarted
			th.Emit(program.Start(int(th.Reg("r")), int64(i), program.Tags{})).Label("w").Store(program.Const(threads), program.Const(1))
		}
		for i := range threads {
			where := program.NotExpr(b.At(0, test.where))
			if test.where == "" {
				where = progtest.Eq(program.Mem{Addr: threads - 1}, 0)
			}
			b.Property(program.Forbid, progtest.And(where, b.At(1+i, "w")))
		}
		p := b.Build(t)
		s, err := newSearch(t.Context(), p, Options{Symmetry: Symmetry}, nil)
		if err != nil || gatheredSteps(s) != test.gathered {
			t.Errorf("%s: %d steps gathered, %v", name, gatheredSteps(s), err)
		}
		for _, opts := range modes {
			opts.Symmetry = Symmetry
			if res := check(t, p, opts); res.Unsafe() != test.unsafe {
				t.Errorf("%s, %s: %v", name, modeName(opts), res.Verdict())
			}
		}
	}
}

// TestGatherResult: what a row of waits forgets may be what final states are filtered by.
func TestGatherResult(t *testing.T) {
	const waits = "atomic begin a := d0; assume a != 0 end; atomic begin b := d1; assume b != 0 end; atomic begin c := d2; assume c != 0 end"
	p, err := lang.Parse(&program.Source{Name: "g.imp", Text: gathered(waits, "skip", "", "exists d0 = 1")}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for r := range 3 {
		p.Filter = progtest.Eq(program.ThreadReg{Thread: 3, Reg: r}, 1)
		if res := check(t, p, Options{Symmetry: Symmetry}); !res.Unsafe() {
			t.Errorf("register %d: %v", r, res.Verdict())
		}
	}
}

// TestGatherStarted: threads that are started do what they could not do if all were started, or awaited, at once.
func TestGatherStarted(t *testing.T) {
	const (
		threads = 3
		ends    = program.Const(threads)
		x       = program.Const(2 * threads)
	)
	start := func(i int, more ...program.Command) []program.Command {
		return append([]program.Command{{Op: program.Store, Addr: program.Const(i), Value: program.Const(1)}}, more...)
	}
	for name, test := range map[string]struct {
		main     func(main *progtest.Thread)
		thread   func(th *progtest.Thread)
		gathered int
	}{
		"awaited": {func(main *progtest.Thread) {
			for i := range threads {
				main.Atomic(start(i)...)
			}
			for i := range threads {
				r := main.Reg(fmt.Sprint("r", i))
				main.Atomic(program.Command{Op: program.Load, Reg: int(r), Addr: ends + program.Const(i)},
					program.Command{Op: program.Check, Value: program.Binary{Op: program.Ne, X: r, Y: program.Const(0)}})
			}
			main.Assert(program.Const(0))
		}, func(*progtest.Thread) {}, threads},
		// Who waits there has come to its end.
		"waits to be started": {func(main *progtest.Thread) {
			for i := range 2 {
				if i == 1 {
					main.Thread.States[main.Cur].Kind = program.Unstarted
				}
				main.Emit(program.Start(int(main.Reg(fmt.Sprint("r", i))), int64(ends)+int64(i), program.Tags{}))
			}
		}, func(th *progtest.Thread) {
			if th.Thread.Name == "P1" {
				th.Thread.Initial = th.Cur
				th.Store(x, program.Const(7))
			}
		}, 0},
		"seen": {func(main *progtest.Thread) {
			for i := range threads {
				main.Atomic(start(i)...)
			}
		}, func(th *progtest.Thread) {
			th.Load("s", program.Const(threads-1)).Assert(th.Reg("s"))
		}, threads - 1},
		"with a number": {func(main *progtest.Thread) {
			for i := range threads {
				main.Atomic(start(i, program.Command{Op: program.Store, Addr: x, Value: program.Const(i)})...)
			}
		}, func(th *progtest.Thread) {
			th.Load("s", x).Assert(progtest.Eq(th.Reg("s"), threads-1))
		}, 0},
	} {
		b := progtest.New(2*threads + 1)
		test.main(b.Thread())
		for i := range threads {
			th := b.Thread()
			th.Thread.States[th.Cur].Kind = program.Unstarted
			th.Emit(program.Start(int(th.Reg("r")), int64(i), program.Tags{}))
			test.thread(th)
			th.Store(ends+program.Const(i), program.Const(1))
		}
		p := b.Property(program.Exists, progtest.Eq(program.Mem{Addr: int64(x)}, 7)).Build(t)
		s, err := newSearch(t.Context(), p, Options{Symmetry: Symmetry}, nil)
		if err != nil || gatheredSteps(s) != test.gathered {
			t.Errorf("%s: %d steps gathered, %v", name, gatheredSteps(s), err)
		}
		for _, opts := range modes {
			opts.Symmetry = Symmetry
			if res := check(t, p, opts); !res.Unsafe() {
				t.Errorf("%s, %s: %v", name, modeName(opts), res.Verdict())
			}
		}
	}
}
