package fencepost_test

import (
	"bytes"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost"
	"github.com/fencepost-verifier/fencepost/internal/randprog"
	"github.com/fencepost-verifier/fencepost/report"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// saved is the run of r, written and read.
func saved(t *testing.T, r *fencepost.Result) *fencepost.SavedRun {
	t.Helper()
	var b bytes.Buffer
	if err := r.Print(&b, fencepost.Style{Format: fencepost.JSON}); err != nil {
		t.Fatal(err)
	}
	s, err := fencepost.ReadRun(&b)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestReplay: a run that was saved replays to the same, of whatever program; with a step left out
// or with another memory it does not.
func TestReplay(t *testing.T) {
	runs, refused := 0, 0
	for _, sh := range randprog.Shapes {
		if sh.Capacity > 0 {
			continue
		}
		for seed := range uint64(12) {
			p := sh.New(seed, 5)
			for _, o := range []fencepost.Option{fencepost.For(fencepost.Stated), fencepost.For(fencepost.NoDeadlock)} {
				r, err := fencepost.Check(t.Context(), p, fencepost.Under(fencepost.TSO), fencepost.By("explicit"), o)
				if err != nil || r.Run() == nil {
					continue
				}
				s := saved(t, r)
				again, err := fencepost.Replay(p, s)
				if err != nil {
					t.Fatalf("%s, seed %d: %v", sh.Name, seed, err)
				}
				if !reflect.DeepEqual(again.Run().Steps, r.Run().Steps) || again.Violation().Text != r.Violation().Text {
					t.Errorf("%s, seed %d: another run", sh.Name, seed)
				}
				runs++
				if n := len(s.Steps); n > 0 {
					for name, v := range s.Steps[n-1].Memory {
						s.Steps[n-1].Memory[name] = v + 1
					}
					if _, err := fencepost.Replay(p, s); err == nil {
						t.Errorf("%s, seed %d: replays with another memory", sh.Name, seed)
					}
					s.Steps = s.Steps[1:]
					if _, err := fencepost.Replay(p, s); err != nil {
						refused++
					}
				}
				s.Program = "another"
				if _, err := fencepost.Replay(p, s); err == nil {
					t.Error("the run of another program replays")
				}
			}
		}
	}
	if runs < 30 || refused < runs/2 {
		t.Errorf("%d runs, %d refused without their first step", runs, refused)
	}
}

// TestStepper: it comes to the violation, back to the beginning, and by the same way again.
func TestStepper(t *testing.T) {
	p, err := fencepost.Load("examples/dekker.imp")
	if err != nil {
		t.Fatal(err)
	}
	r, err := fencepost.Check(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	w, err := fencepost.Step(p, saved(t, r))
	if err != nil {
		t.Fatal(err)
	}
	steps := 0
	forward := func() {
		for steps = 0; ; steps++ {
			ok, err := w.Forward()
			if err != nil {
				t.Fatal(err)
			}
			if !ok {
				return
			}
		}
	}
	forward()
	if m := w.Moment(); steps != len(r.Run().Steps) || m.Ends != r.Violation().Text {
		t.Errorf("%d steps, then %q", steps, m.Ends)
	}
	for w.Back() {
		steps--
	}
	if m := w.Moment(); steps != 0 || m.Done != 0 || !m.Steps[0].Saved {
		t.Errorf("%d steps left, %+v", steps, m)
	}
	forward()
	for w.Back() {
	}
	choose := func(what string) {
		t.Helper()
		n := slices.IndexFunc(w.Moment().Steps, func(s verdict.Possible) bool { return strings.HasPrefix(s.Text, what) })
		if err := w.Choose(n); err != nil {
			t.Fatal(what, err)
		}
	}
	choose("flag0 := 1")
	choose("flag1 := 1")
	m := w.Moment()
	if err := w.Models(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	if v := m.Threads[0].Values; len(v[fencepost.SC]) != 2 || len(v[fencepost.TSO]) != 2 {
		t.Errorf("the first load can read %v", v)
	}
	choose("read flag1 = 0")
	m = w.Moment()
	w.Models(t.Context(), m)
	if v := m.Threads[1].Values; len(v[fencepost.SC]) != 1 || len(v[fencepost.TSO]) != 2 {
		t.Errorf("the second load can read %v", v)
	}
	if err := w.Choose(99); err == nil {
		t.Error("step 100 is taken")
	}
	if err := w.Choose(1); err != nil {
		t.Error(err)
	}
	if m := w.Moment(); m.Done >= 0 {
		t.Errorf("flushing is on the saved run: %+v", m)
	}
}

// FuzzReadRun: nothing that stands in a file makes the reader or the replay panic, and no run
// shows that a safe program is not.
func FuzzReadRun(f *testing.F) {
	text := func(fence string) string {
		return "program P variables x, y process P local r begin x := 1; " + fence + "; r := y end process Q local r begin y := 1; " + fence + "; r := x end exists P.r = 0 & Q.r = 0"
	}
	read := func(fence string) *fencepost.Program {
		p, err := fencepost.Read("p.imp", strings.NewReader(text(fence)))
		if err != nil {
			f.Fatal(err)
		}
		return p
	}
	unsafe, safe := read("skip"), read("fence")
	r, err := fencepost.Check(f.Context(), unsafe)
	if err != nil {
		f.Fatal(err)
	}
	var b bytes.Buffer
	report.JSON(&b, r.Result, "p.imp")
	f.Add(b.String())
	f.Add(`{"model":"tso","run":[{"thread":"P","edge":0,"memory":{"x":0}}]}`)
	f.Add(`{"model":"pso","run":[{"thread":"P","edge":-1,"choice":9}]}`)
	f.Add(`{"model":"rc11","run":[{}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		s, err := fencepost.ReadRun(strings.NewReader(text))
		if err != nil {
			return
		}
		fencepost.Replay(unsafe, s)
		s.Program = ""
		if r, err := fencepost.Replay(safe, s); err == nil && r.Verdict() == fencepost.IsUnsafe && s.Model != fencepost.PSO {
			t.Errorf("a safe program is not: %s", text)
		}
	})
}
