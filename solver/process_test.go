//go:build unix

package solver

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// script makes a program of that name for the PATH, and a temporary directory
// of its own, which must be empty when the test is over.
func script(t *testing.T, name, text string) {
	t.Helper()
	bin, tmp := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"+text+"\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	t.Setenv("TMPDIR", tmp)
	t.Cleanup(func() {
		if left, _ := os.ReadDir(tmp); len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
	})
}

func TestPrograms(t *testing.T) {
	wide := strings.Repeat("c statistics\n", 10_000)
	tests := []struct {
		name, program, text string
		status              Status
		err                 string
	}{
		{"sat", "fake", "echo c hello; echo s SATISFIABLE; echo v 1 -2; echo v 3 0; exit 10", Sat, ""},
		{"blanks, no last newline", "fake", `printf 's  SATISFIABLE\r\nv\t1  -2 3 0'; exit 10`, Sat, ""},
		{"exit status 0", "fake", "echo s SATISFIABLE; echo v 1 -2 3 0; exit 0", Sat, ""},
		{"values left out", "fake", "echo s SATISFIABLE; echo v 1 3 0; exit 10", Sat, ""},
		{"unsat", "fake", "echo s UNSATISFIABLE; exit 20", Unsat, ""},
		{"talkative", "fake", "cat <<.\n" + wide + ".\necho s UNSATISFIABLE; exit 20", Unsat, ""},
		{"litter", "fake", "touch here; mkdir there; echo s UNSATISFIABLE; exit 20", Unsat, ""},
		{"result file", "minisat-fake", "echo SATISFIABLE; (echo SAT; echo 1 -2 3 0) >$2; exit 10", Sat, ""},
		{"unsat result file", "minisat-fake", "echo UNSAT >$2; exit 20", Unsat, ""},
		{"option", "glucose-fake", `test "$1" = -model && test -f "$2" || exit 1; echo s SATISFIABLE; echo v 1 3 0; exit 10`, Sat, ""},

		{"crash", "fake", "echo s SATISFIABLE; echo 'out of luck' >&2; kill -SEGV $$", Unknown, "segmentation fault"},
		{"complaint", "fake", "echo 'out of luck' >&2; exit 3", Unknown, "exit status 3: out of luck"},
		{"nonsense", "fake", "echo hello world", Unknown, "gave no answer"},
		{"nothing", "fake", "", Unknown, "gave no answer"},
		{"unknown", "fake", "echo s UNKNOWN; exit 0", Unknown, "gave no answer"},
		{"both", "fake", "echo s SATISFIABLE; echo s UNSATISFIABLE; exit 20", Unknown, "both sat and unsat"},
		{"wrong exit status", "fake", "echo s UNSATISFIABLE; exit 10", Unknown, "said unsat"},
		{"too many variables", "fake", "echo s SATISFIABLE; echo v 1 -2 3 4 0; exit 10", Unknown, `"4" is no value`},
		{"no number", "fake", "echo s SATISFIABLE; echo v 1 x 0; exit 10", Unknown, `"x" is no value`},
		{"huge number", "fake", "echo s SATISFIABLE; echo v 4294967297 0; exit 10", Unknown, "is no value"},
		{"endless nonsense", "fake", "while :; do echo v v; done", Unknown, "is no value"},
		{"no result file", "minisat-fake", "exit 10", Unknown, "no such file"},
		{"no result", "minisat-fake", "echo INDET >$2", Unknown, "gave no answer"},
		{"wrong model", "fake", "echo s SATISFIABLE; echo v 1 2 3 0; exit 10", Unknown, "clause 2 of 2: [-1 -2]"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			script(t, test.program, test.text)
			s := open(t, test.program)
			a, b, c := s.NewVar(), s.NewVar(), s.NewVar()
			s.AddClause(a, b)
			s.AddClause(-a, -b)
			status, err := s.Solve(context.Background(), c)
			if status != test.status {
				t.Errorf("%v, %v", status, err)
			}
			if test.err == "" && err != nil || test.err != "" && (err == nil || !strings.Contains(err.Error(), test.err)) {
				t.Errorf("error %v", err)
			}
			if status == Sat && (!s.Value(a) || s.Value(b) || !s.Value(c)) {
				t.Error("wrong model")
			}
		})
	}
}

func TestProgramIsGone(t *testing.T) {
	script(t, "fake", "exit 1")
	s := open(t, "fake")
	t.Setenv("PATH", "")
	if _, err := New("fake"); err == nil || !strings.Contains(err.Error(), "not found") {
		t.Errorf("got %v", err)
	}
	// A program is found once, and a path is as good as a name.
	if _, err := s.Solve(context.Background()); err == nil || !strings.Contains(err.Error(), "exit status 1") {
		t.Errorf("got %v", err)
	}
	if err := os.Remove(s.(*checked).b.(*processBackend).path); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Solve(context.Background()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

// A program whose child does the work is killed with it.
func TestProgramKilled(t *testing.T) {
	witness := filepath.Join(t.TempDir(), "witness")
	script(t, "fake", "(sleep 1; touch "+witness+") & wait")
	s := open(t, "fake")
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	start := time.Now()
	status, err := s.Solve(ctx)
	if took := time.Since(start); took > 900*time.Millisecond {
		t.Errorf("took %v", took)
	}
	if status != Unknown || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v, %v", status, err)
	}
	time.Sleep(1200*time.Millisecond - time.Since(start))
	if _, err := os.Stat(witness); err == nil {
		t.Error("the child went on")
	}
}

// The core of a program is empty if and only if the clauses alone are
// unsatisfiable, and what the last model shows is not asked again.
func TestProgramCore(t *testing.T) {
	calls := filepath.Join(t.TempDir(), "calls")
	t.Setenv("REAL", realProgram(t))
	script(t, "fake", "echo >>"+calls+`; exec "$REAL" "$@"`)
	s := open(t, "fake")
	a, b := s.NewVar(), s.NewVar()
	steps := []struct {
		op    op
		core  []Lit // nil: satisfiable
		calls int
	}{
		{op: add(a, b)},
		{op: solve(-a, -b), core: []Lit{-a, -b}, calls: 2},
		{op: solve(-a, -b), core: []Lit{-a, -b}, calls: 1},
		{op: solve(-a), calls: 1},
		{op: add(-a, -b)},
		{op: solve(a, b), core: []Lit{a, b}, calls: 1},
		{op: add(a)},
		{op: solve(b), core: []Lit{b}, calls: 2},
		{op: add(b)},
		{op: solve(a), core: []Lit{}, calls: 2},
		{op: solve(a), core: []Lit{}},
	}
	before := 0
	for _, step := range steps {
		if !step.op.solve {
			s.AddClause(step.op.lits...)
			continue
		}
		status, err := s.Solve(context.Background(), step.op.lits...)
		if err != nil || (status == Sat) != (step.core == nil) {
			t.Fatalf("%v: %v, %v", step.op, status, err)
		}
		if status == Unsat && !slices.Equal(s.Core(), step.core) {
			t.Errorf("%v: core %d", step.op, s.Core())
		}
		text, _ := os.ReadFile(calls)
		if n := len(text) - before; n != step.calls {
			t.Errorf("%v: %d calls", step.op, n)
		}
		before = len(text)
	}
}

func realProgram(t *testing.T) string {
	for _, name := range programs() {
		if b, err := newProcess(name); err == nil && !b.(*processBackend).file && b.(*processBackend).args == nil {
			return b.(*processBackend).path
		}
	}
	t.Skip("no SAT solver on the PATH")
	return ""
}

func TestReplyConflicts(t *testing.T) {
	for text, want := range map[string]int64{
		"c conflicts:           1234      56.78    per second\n": 1234, // CaDiCaL, Kissat
		"conflicts             : 77             (7 /sec)\n":      77,   // MiniSat
		"c conflicts             : 88             (8 /sec)\n":    88,   // Glucose
		"c conflicts                : 99         (1 /sec)\n":     99,   // CryptoMiniSat
		"c no conflicts\nc 7\nc conflicts: none 5\n":             -1,
		"c " + strings.Repeat("x", 1<<20) + "\nc conflicts: 5":   5,
	} {
		r := &reply{conflicts: -1}
		r.Write([]byte(text))
		r.close()
		if r.conflicts != want {
			t.Errorf("%.60q: %d conflicts", text, r.conflicts)
		}
	}
}
