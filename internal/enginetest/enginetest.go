// Package enginetest is for tests of engines: programs to ask them about, and what
// several such tests need.
package enginetest

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/explore"
	"github.com/fencepost-verifier/fencepost/lang"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/replay"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// Examples is the directory of that name. It is found from the folder in which
// the test runs, and not from the path of this file, which -trimpath takes away.
func Examples() string {
	dir, err := os.Getwd()
	for ; err == nil; dir = filepath.Dir(dir) {
		if _, err = os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return filepath.Join(dir, "examples")
		}
		if dir != filepath.Dir(dir) {
			err = nil
		}
	}
	panic(fmt.Sprint("no go.mod above the test: ", err))
}

// Example is a program of that directory, with its constant N, if n is not 0.
func Example(t testing.TB, file string, n int64) *program.Program {
	t.Helper()
	var defines map[string]int64
	if n > 0 {
		defines = map[string]int64{"N": n}
	}
	p, err := lang.Load(filepath.Join(Examples(), file), defines)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Parse reads a program; the name says in which language it is.
func Parse(t testing.TB, name, text string) *program.Program {
	t.Helper()
	p, err := lang.Parse(&program.Source{Name: name, Text: text}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Text is p as [program.Print] prints it.
func Text(p *program.Program) string {
	var b strings.Builder
	if err := program.Print(&b, p); err != nil {
		return err.Error()
	}
	return b.String()
}

// Replays checks the run of r by replaying it once more.
func Replays(p *program.Program, r *verdict.Result) error {
	run, err := replay.Replay(p, r.Model(), replay.Schedule(r.Run()))
	if err != nil {
		return err
	}
	if !reflect.DeepEqual(run, r.Run()) {
		return fmt.Errorf("the run replays to something else")
	}
	return nil
}

// Relax gives p a property that it violates under TSO and not under SC: that it
// does not end in some way. It is false where there is none.
func Relax(t testing.TB, p *program.Program, forbid bool) bool {
	t.Helper()
	var ends [2][]verdict.FinalState
	for i, m := range []memory.Model{memory.SC, memory.TSO} {
		var err error
		if ends[i], _, err = explore.FinalStates(context.Background(), p, explore.Options{Model: m}); err != nil {
			t.Fatal(err)
		}
	}
	for _, s := range ends[1] {
		if slices.ContainsFunc(ends[0], func(o verdict.FinalState) bool { return reflect.DeepEqual(s.Regs, o.Regs) }) {
			continue
		}
		pr := program.Property{Kind: program.Exists, Cond: program.Const(1)}
		and := func(e program.Expr) { pr.Cond = program.Binary{Op: program.LogicalAnd, X: pr.Cond, Y: e} }
		for ti, th := range p.Threads {
			for r := range th.Regs {
				if !th.Regs[r].Temp {
					and(program.Binary{Op: program.Eq, X: program.ThreadReg{Thread: ti, Reg: r}, Y: program.Const(s.Regs[ti][r])})
				}
			}
			if forbid {
				pr.Kind = program.Forbid
				at := program.At{Thread: ti}
				for q, out := range th.Out() {
					if len(out) == 0 {
						at.States = append(at.States, program.StateID(q))
					}
				}
				and(at)
			}
		}
		p.Properties = []program.Property{pr}
		return Safe(t, p, memory.SC)
	}
	return false
}

// Safe is whether a search of all states finds p safe.
func Safe(t testing.TB, p *program.Program, m memory.Model) bool {
	t.Helper()
	r, err := explore.Check(context.Background(), p, explore.Options{Model: m})
	if err != nil {
		t.Fatal(err)
	}
	return r.Safe()
}

// Known is what the corpus says of a program, by the tool Trencher; a null is a
// question that the tool did not answer.
type Known struct {
	Robust  *bool    `json:"robust"`
	Seconds *float64 `json:"robust_seconds"`
	Fences  *int     `json:"robustness_fences"`
	TRF     *bool    `json:"triangular_race_free"`
	TRFence *int     `json:"trf_fences"`
}

// EachKnown runs f on the programs of the corpus that tell about robustness.
func EachKnown(t *testing.T, f func(t *testing.T, p *program.Program, k Known)) {
	corpus := os.Getenv("FENCEPOST_CORPUS")
	if corpus == "" {
		t.Skip("FENCEPOST_CORPUS is not set: it names a directory with trencher/ and persist/")
	}
	for _, dir := range []string{"trencher", "persist"} {
		text, err := os.ReadFile(filepath.Join(corpus, dir, "expected.json"))
		if err != nil {
			t.Fatal(err)
		}
		all := map[string]Known{}
		if err := json.Unmarshal(text, &all); err != nil {
			t.Fatal(err)
		}
		var names []string
		for name := range all {
			names = append(names, name)
		}
		sort.Strings(names)
		for _, name := range names {
			t.Run(dir+"/"+name, func(t *testing.T) {
				p, err := lang.Load(filepath.Join(corpus, dir, name), nil)
				if err != nil {
					t.Fatal(err)
				}
				f(t, p, all[name])
			})
		}
	}
}
