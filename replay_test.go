package fencepost_test

import (
	"bytes"
	"fmt"
	"path/filepath"
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

// asked is the answer to a question about an example, and its program.
func asked(t *testing.T, file string, q fencepost.Property, opts ...fencepost.Option) (*fencepost.Program, *fencepost.Result) {
	t.Helper()
	p, err := fencepost.Load(file, append(opts, fencepost.For(q))...)
	if err != nil {
		t.Fatal(err)
	}
	r, err := fencepost.Check(t.Context(), p, append(opts, fencepost.For(q))...)
	if err != nil {
		t.Fatal(err)
	}
	return p, r
}

// TestReplayJudges: data races, hangs and deadlocks are found in saved runs again, and in none that
// somebody has changed.
func TestReplayJudges(t *testing.T) {
	for _, tt := range []struct {
		file     string
		property fencepost.Property
		about    verdict.Question
	}{
		{"examples/c/lazy-flag.c", fencepost.NoDataRace, verdict.DataRaces},
		{"examples/c/seqlock-plain.c", fencepost.NoDataRace, verdict.DataRaces},
		{"examples/parker.imp", fencepost.NoHang, verdict.Liveness},
		{"examples/c/philosophers.c", fencepost.NoHang, verdict.Liveness},
		{"examples/c/parker.c", fencepost.NoHang, verdict.Liveness},
		{"examples/parker.imp", fencepost.NoDeadlock, verdict.Deadlocks},
		{"examples/c/philosophers.c", fencepost.NoDeadlock, verdict.Deadlocks},
		{"examples/c/parker.c", fencepost.NoDeadlock, verdict.Deadlocks},
	} {
		t.Run(string(tt.property)+" "+filepath.Base(tt.file), func(t *testing.T) {
			p, r := asked(t, tt.file, tt.property)
			if !r.Unsafe() || r.About() != tt.about {
				t.Fatalf("%s about %s", r.Verdict(), r.About())
			}
			again, err := fencepost.Replay(p, saved(t, r))
			if err != nil {
				t.Fatal(err)
			}
			if again.About() != tt.about || !reflect.DeepEqual(again.Run().Steps, r.Run().Steps) || !reflect.DeepEqual(again.Violation(), r.Violation()) {
				t.Errorf("another run, about %s:\n%v", again.About(), again)
			}
			last := len(r.Run().Steps) - 1
			for what, tamper := range map[string]func(s *fencepost.SavedRun){
				"without its last step":  func(s *fencepost.SavedRun) { s.Steps = s.Steps[:last] },
				"without its first step": func(s *fencepost.SavedRun) { s.Steps = s.Steps[1:] },
				"no steps":               func(s *fencepost.SavedRun) { s.Steps = nil },
				"its last step twice":    func(s *fencepost.SavedRun) { s.Steps = append(s.Steps, s.Steps[last]) },
				"about what is stated":   func(s *fencepost.SavedRun) { s.Property = "" },
				"about a race":           func(s *fencepost.SavedRun) { s.Property = other(tt.about, verdict.DataRaces, verdict.Liveness) },
				"about a deadlock":       func(s *fencepost.SavedRun) { s.Property = other(tt.about, verdict.Deadlocks, verdict.DataRaces) },
				"about robustness":       func(s *fencepost.SavedRun) { s.Property = verdict.Robustness },
				"about load buffering":   func(s *fencepost.SavedRun) { s.Property = verdict.LBRaces },
				"shows something else":   func(s *fencepost.SavedRun) { s.Text += "!" },
				"another thread": func(s *fencepost.SavedRun) {
					s.Steps[last].Thread = r.Program().Threads[(r.Run().Steps[last].Thread+1)%len(r.Program().Threads)].Name
				},
				"nobody's thread": func(s *fencepost.SavedRun) { s.Steps[last].Thread = "?" },
				"another edge":    func(s *fencepost.SavedRun) { s.Steps[0].Edge++ },
				"another choice":  func(s *fencepost.SavedRun) { s.Steps[0].Choice = 1 << 40 },
				"another memory": func(s *fencepost.SavedRun) {
					for name := range s.Steps[last].Memory {
						s.Steps[last].Memory[name]++
					}
				},
				"another program": func(s *fencepost.SavedRun) { s.Program = strings.Repeat("0", 64) },
			} {
				s := saved(t, r)
				tamper(s)
				if r, err := fencepost.Replay(p, s); err == nil {
					t.Errorf("%s, it replays: %v", what, r.Verdict())
				}
			}
			if tt.property != fencepost.NoDataRace {
				return
			}
			// What comes after the race is no part of it.
			w, err := fencepost.Step(p, saved(t, r))
			if err != nil {
				t.Fatal(err)
			}
			for range r.Run().Steps {
				if _, err := w.Forward(); err != nil {
					t.Fatal(err)
				}
			}
			if err := w.Choose(0); err != nil {
				t.Fatal(err)
			}
			longer, err := w.Run()
			if err != nil {
				t.Fatal(err)
			}
			s := saved(t, r)
			next := longer.Steps[last+1]
			s.Steps = append(s.Steps, verdict.SavedStep{Thread: p.Threads[next.Thread].Name, Edge: next.Edge, Choice: next.Choice})
			if _, err := fencepost.Replay(p, s); err == nil || !strings.Contains(err.Error(), "goes on") {
				t.Errorf("with another step after the race: %v", err)
			}
			s = saved(t, r)
			for _, s.Model = range []fencepost.Model{fencepost.TSO, fencepost.PSO} {
				if _, err := fencepost.Replay(p, s); err == nil {
					t.Errorf("a race under %s", s.Model)
				}
			}
		})
	}
}

// other is q, and instead if q was asked.
func other(asked, q, instead verdict.Question) verdict.Question {
	if asked == q {
		return instead
	}
	return q
}

// TestReplayOfSafe: the steps of a run of one program are possible in another, which has neither race
// nor hang, and are evidence of nothing there.
func TestReplayOfSafe(t *testing.T) {
	const race = "#include <pthread.h>\n#include <stdatomic.h>\nint x; atomic_int f;\n" +
		"static void *run(void *a) { x = 1; atomic_store_explicit(&f, 1, memory_order_%s); return 0; }\n" +
		"int main(void) { pthread_t t; pthread_create(&t, 0, run, 0); if (atomic_load_explicit(&f, memory_order_acquire)) x = 2; pthread_join(t, 0); return 0; }\n"
	const hang = "program P variables x, y process P local r begin x := 1; %s; while y = 0 do skip od end process Q begin if x = 1 then y := 1 else skip fi%s end"
	for _, tt := range []struct {
		name, bad, good string
		property        fencepost.Property
		want            string
	}{
		{"race.c", fmt.Sprintf(race, "relaxed"), fmt.Sprintf(race, "release"), fencepost.NoDataRace, "no data race"},
		{"hang.imp", fmt.Sprintf(hang, "skip", ""), fmt.Sprintf(hang, "skip", "; y := 1"), fencepost.NoHang, "something can still change"},
	} {
		read := func(text string) *fencepost.Program {
			p, err := fencepost.Read(tt.name, strings.NewReader(text), fencepost.For(tt.property))
			if err != nil {
				t.Fatal(err)
			}
			return p
		}
		bad, good := read(tt.bad), read(tt.good)
		r, err := fencepost.Check(t.Context(), bad, fencepost.For(tt.property))
		if err != nil || !r.Unsafe() {
			t.Fatal(tt.name, r, err)
		}
		if r, err := fencepost.Check(t.Context(), good, fencepost.For(tt.property)); err != nil || !r.Safe() {
			t.Fatal(tt.name, r, err)
		}
		s := saved(t, r)
		if _, err := fencepost.Replay(bad, s); err != nil {
			t.Error(err)
		}
		if _, err := fencepost.Replay(good, s); err == nil || !strings.Contains(err.Error(), "another program") {
			t.Errorf("%s: %v", tt.name, err)
		}
		s.Program = ""
		if _, err := fencepost.Replay(good, s); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
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
	f.Add(`{"model":"sc","property":"race","run":[{"thread":"P","edge":0}]}`)
	// Of each question a program with the answer yes, and one with the answer no, that can do nearly the same.
	const race = "#include <pthread.h>\n#include <stdatomic.h>\nint x; atomic_int f;\n" +
		"static void *run(void *a) { x = 1; atomic_store_explicit(&f, 1, memory_order_%s); return 0; }\n" +
		"int main(void) { pthread_t t; pthread_create(&t, 0, run, 0); if (atomic_load_explicit(&f, memory_order_acquire)) x = 2; pthread_join(t, 0); return 0; }\n"
	const hang = "program P variables x, y process P local r begin x := 1; while y = 0 do skip od end process Q begin if x = 1 then y := 1 else skip fi%s end"
	all := map[verdict.Question]*fencepost.Program{"": safe}
	for _, q := range []struct {
		property        fencepost.Property
		name, bad, good string
	}{
		{fencepost.NoDataRace, "p.c", fmt.Sprintf(race, "relaxed"), fmt.Sprintf(race, "release")},
		{fencepost.NoHang, "p.imp", fmt.Sprintf(hang, ""), fmt.Sprintf(hang, "; y := 1")},
		{fencepost.NoDeadlock, "p.imp", fmt.Sprintf(hang, ""), fmt.Sprintf(hang, "; y := 1")},
	} {
		for i, text := range []string{q.bad, q.good} {
			p, err := fencepost.Read(q.name, strings.NewReader(text), fencepost.For(q.property))
			if err != nil {
				f.Fatal(err)
			}
			r, err := fencepost.Check(f.Context(), p, fencepost.For(q.property))
			if err != nil || r.Safe() != (i == 1) {
				f.Fatal(q.name, r, err)
			}
			if i == 1 {
				all[r.About()] = p
				continue
			}
			var b bytes.Buffer
			report.JSON(&b, r.Result, q.name)
			f.Add(b.String())
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := fencepost.ReadRun(strings.NewReader(text))
		if err != nil {
			return
		}
		fencepost.Replay(unsafe, s)
		s.Program = ""
		if p := all[s.Property]; p != nil {
			if r, err := fencepost.Replay(p, s); err == nil && r.Verdict() == fencepost.IsUnsafe && s.Model != fencepost.PSO {
				t.Errorf("a safe program is not: %s", text)
			}
		}
	})
}
