package promela

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/explore"
	"github.com/fencepost-verifier/fencepost/internal/keys"
	"github.com/fencepost-verifier/fencepost/internal/randprog"
	"github.com/fencepost-verifier/fencepost/lang"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
)

var programs = flag.Int("programs", 0, "how many random programs of each shape to give to Spin, under each model; 0: one, under one model, and without trying Spin's reduction")

// enumerate counts the states of p by a search that knows no tricks: a map of
// what the states print. It stops at limit, and where an assertion fails counts
// nothing.
func enumerate(t *testing.T, p *program.Program, opts Options, limit int) (states int, ok bool) {
	t.Helper()
	r, err := program.Analyse(p)
	if err != nil {
		t.Fatal(err)
	}
	var b abstract.Buffer = abstract.FIFO{}
	if opts.Model == memory.SC {
		b = abstract.None{}
	}
	x, err := abstract.New(p, r, b, opts.Buffer)
	if err != nil {
		t.Fatal(err)
	}
	key := keys.State
	init := x.NewState()
	x.Initial(init)
	seen := map[string]bool{key(init): true}
	for work := []*abstract.State{init}; len(work) > 0; work = work[1:] {
		if len(seen) > limit {
			return 0, false
		}
		s := work[0]
		try := func(ev abstract.Event) {
			n := x.NewState()
			n.Copy(s)
			switch x.Step(n, ev) {
			case abstract.Done:
				if k := key(n); !seen[k] {
					seen[k] = true
					work = append(work, n)
				}
			case abstract.Stray:
				t.Fatal(x.StrayError(ev))
			}
		}
		for ti := range p.Threads {
			for _, e := range x.Out(ti, s.PC[ti]) {
				for c := range x.Choices(ti, e) {
					try(abstract.Event{Thread: ti, Edge: e, Choice: c})
				}
			}
			for i := range x.Flushes(s, ti) {
				try(abstract.Event{Thread: ti, Edge: abstract.Flush, Choice: int64(i)})
			}
		}
	}
	return len(seen), true
}

var (
	storedLine = regexp.MustCompile(`(?m)^ *(\d+) states, stored`)
	errorsLine = regexp.MustCompile(`errors: (\d+)`)
)

// spin runs the verifier of a model. ccFlags choose the kind of search.
func spin(t *testing.T, model []byte, ccFlags, panFlags []string) (states int, failed bool, output string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "model.pml"), model, 0o600); err != nil {
		t.Fatal(err)
	}
	run := func(name string, args ...string) string {
		cmd := exec.CommandContext(t.Context(), name, args...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s\n%s", name, err, out, model)
		}
		return string(out)
	}
	if out := run("spin", "-a", "model.pml"); strings.Contains(out, "rror") {
		t.Errorf("spin: %s\n%s", out, model)
	}
	run("cc", append([]string{"-w", "-fwrapv", "-DSAFETY", "-o", "pan", "pan.c"}, ccFlags...)...)
	out := run("./pan", append([]string{"-m100000", "-w18"}, panFlags...)...)
	found, errs := storedLine.FindStringSubmatch(out), errorsLine.FindStringSubmatch(out)
	if found == nil || errs == nil || strings.Contains(out, "max search depth too small") {
		t.Fatalf("pan: %s\n%s", out, model)
	}
	states, _ = strconv.Atoi(found[1])
	return states, errs[1] != "0", out
}

func needSpin(t *testing.T) {
	t.Helper()
	for _, tool := range []string{"spin", "cc"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s is not on the path", tool)
		}
	}
}

// compare compares Spin with explicit search: the same verdict, and where nothing
// is violated the same number of states. It tells whether there was anything to
// compare.
func compare(t *testing.T, p *program.Program, opts Options, limit int) bool {
	t.Helper()
	states, ok := enumerate(t, p, opts, limit)
	if !ok {
		return false
	}
	var b bytes.Buffer
	if err := Write(&b, p, opts); err != nil {
		t.Logf("not written: %v", err)
		return false
	}
	res, err := explore.Check(context.Background(), p, explore.Options{Model: opts.Model, Buffer: opts.Buffer})
	if err != nil {
		t.Fatal(err)
	}
	fault := res.Violation() != nil && res.Violation().Kind == program.Fault
	unsafe := res.Unsafe() || fault
	got, failed, out := spin(t, b.Bytes(), []string{"-DNOREDUCE"}, nil)
	if failed != unsafe {
		t.Errorf("%s, %s: Spin finds an error %v, explicit search says %s\n%s\n%s", p.Name, opts.Model, failed, res.Verdict(), out, b.Bytes())
		return true
	}
	t.Logf("%s, %s: %d states, unsafe %v", p.Name, opts.Model, got, unsafe)
	if !unsafe && got != states {
		t.Errorf("%s, %s: Spin stores %d states, there are %d\n%s\n%s", p.Name, opts.Model, got, states, out, b.Bytes())
	}
	if *programs == 0 {
		return true
	}
	if _, failed, out := spin(t, b.Bytes(), nil, nil); failed != unsafe {
		t.Errorf("%s, %s: Spin with its reduction finds an error %v, explicit search says %s\n%s\n%s", p.Name, opts.Model, failed, res.Verdict(), out, b.Bytes())
	}
	return true
}

var two = randprog.Range{Min: 2, Max: 2}

// shapes are the kinds of random programs.
var shapes = []struct {
	name   string
	opts   randprog.Options
	buffer int
}{
	{"small", randprog.Options{Commands: randprog.Range{Min: 3, Max: 5}, Threads: two, NoProperty: 3}, 0},
	{"plain", randprog.Options{Commands: randprog.Range{Min: 3, Max: 5}, Threads: two, NoProperty: 3, Plain: true}, 0},
	{"asserts", randprog.Options{Commands: randprog.Range{Min: 2, Max: 4}, Threads: two, Assert: 3, Atomic: 3, Deadlock: 2}, 0},
	{"atomics", randprog.Options{Commands: randprog.Range{Min: 2, Max: 4}, Threads: two, Atomic: 8, RMW: 8, AddrDep: 60, NoProperty: 3}, 0},
	{"locks", randprog.Options{Commands: randprog.Range{Min: 2, Max: 3}, Lock: 5, Values: 1, Deadlock: 3, NoProperty: 2, Havoc: -1}, 0},
	{"stores", randprog.Options{Commands: randprog.Range{Min: 1, Max: 3}, Threads: two, Values: 1, StoreLoop: 4, WaitLoop: 1, Deadlock: 2, Assert: 1}, 2},
}

// TestRandom compares Spin with explicit search on random programs.
func TestRandom(t *testing.T) {
	needSpin(t)
	for i, shape := range shapes {
		for j, m := range []memory.Model{memory.SC, memory.TSO} {
			if *programs == 0 && (i+j)%2 == 0 {
				continue
			}
			t.Run(shape.name+"/"+string(m), func(t *testing.T) {
				t.Parallel()
				n := 0
				for seed := uint64(0); n < max(*programs, 1) && seed < 1000; seed++ {
					p := randprog.New(rand.New(rand.NewPCG(seed, 11)), shape.opts)
					p.Name = fmt.Sprintf("seed %d", seed)
					opts := Options{Model: m}
					if m == memory.TSO {
						opts.Buffer = shape.buffer
					}
					if compare(t, p, opts, 5000) {
						n++
					}
					if t.Failed() {
						return
					}
				}
			})
		}
	}
}

// TestWriteRandom writes more random programs than there is time to give to Spin:
// all can be written, and equal programs give equal models.
func TestWriteRandom(t *testing.T) {
	for _, shape := range shapes {
		for seed := range uint64(100) {
			for _, m := range []memory.Model{memory.SC, memory.TSO} {
				var texts [2]bytes.Buffer
				for i := range texts {
					p := randprog.New(rand.New(rand.NewPCG(seed, 12)), shape.opts)
					if err := Write(&texts[i], p, Options{Model: m, Buffer: 2}); err != nil {
						t.Errorf("%s, seed %d, %s: %v", shape.name, seed, m, err)
					}
				}
				if texts[0].String() != texts[1].String() {
					t.Errorf("%s, seed %d, %s: two models", shape.name, seed, m)
				}
			}
		}
	}
}

// TestExamples compares Spin with explicit search on examples.
func TestExamples(t *testing.T) {
	needSpin(t)
	for _, tt := range []struct {
		file   string
		model  memory.Model
		buffer int
	}{
		{"dekker.imp", memory.TSO, 1},
		{"peterson-fenced.imp", memory.TSO, 0},
		{"mcs-lock.imp", memory.TSO, 2},
		{"chase-lev-fenced.imp", memory.SC, 0},
	} {
		t.Run(tt.file+"/"+string(tt.model), func(t *testing.T) {
			t.Parallel()
			p, err := lang.Load("../../examples/"+tt.file, nil)
			if err != nil {
				t.Fatal(err)
			}
			if !compare(t, p, Options{Model: tt.model, Buffer: tt.buffer}, 1<<20) {
				t.Error("not compared")
			}
		})
	}
}
