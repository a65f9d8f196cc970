package suite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fencepost-verifier/fencepost/engine"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

const sb = `X86_64 SB
{ uint64_t x; uint64_t y; uint64_t 0:rax; uint64_t 1:rax; }
 P0            | P1            ;
 movq $1,(x)   | movq $1,(y)   ;
 movq (y),%rax | movq (x),%rax ;
exists (0:rax=0 /\ 1:rax=0)
`

// medium is a test that takes some time.
const medium = `X86_64 medium
{ uint64_t x; }
 P0          | P1          | P2          ;
 incq (x)    | incq (x)    | incq (x)    ;
 incq (x)    | incq (x)    | incq (x)    ;
exists ([x]=1)
`

// long is a test that nobody waits for.
const long = `X86_64 long
{ uint64_t x; }
 P0          | P1          | P2          | P3          ;
 incq (x)    | incq (x)    | incq (x)    | incq (x)    ;
 incq (x)    | incq (x)    | incq (x)    | incq (x)    ;
 incq (x)    | incq (x)    | incq (x)    | incq (x)    ;
 incq (x)    | incq (x)    | incq (x)    | incq (x)    ;
exists ([x]=1)
`

func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

func TestFiles(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"b.litmus": "", "a/z.litmus": "", "a/B.LITMUS": "", "c.txt": "", "a/b/y.litmus": "", "d/e/x": ""})
	var got []string
	for f := range Files([]string{dir, filepath.Join(dir, "c.txt")}) {
		got = append(got, filepath.ToSlash(f.Rel))
	}
	want := []string{"a/B.LITMUS", "a/b/y.litmus", "a/z.litmus", "b.litmus", filepath.ToSlash(filepath.Join(dir, "c.txt"))}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	for f := range Files([]string{dir, dir}) { // may be left at any time
		if f.Rel == "b.litmus" {
			break
		}
	}
}

// Results come in the order of the files, however long each takes, and whatever
// goes wrong with the ones before.
func TestOrder(t *testing.T) {
	dir := t.TempDir()
	files := map[string]string{}
	for i := range 60 {
		text := sb
		switch i % 6 {
		case 1:
			text = medium
		case 3:
			text = "X86_64 bad\n{"
		}
		files[fmt.Sprintf("%02d.litmus", i)] = text
	}
	write(t, dir, files)
	n := 0
	err := Run(context.Background(), Files([]string{dir}), Options{Workers: 7}, func(f File, l *verdict.Litmus) error {
		if want := fmt.Sprintf("%02d.litmus", n); f.Rel != want || l.File != filepath.Join(dir, want) {
			t.Errorf("got %s, want %s", f.Rel, want)
		}
		var d *program.Diagnostic
		switch {
		case n%6 == 3 && !errors.As(l.Err, &d):
			t.Errorf("%s: error %v", f.Rel, l.Err)
		case n%6 != 3 && l.Err != nil:
			t.Errorf("%s: %v", f.Rel, l.Err)
		case n%6 == 0 && (l.Observation != "Sometimes" || l.Positive != 1 || l.Negative != 3 || !l.Ok):
			t.Errorf("%s: %+v", f.Rel, l)
		}
		n++
		return nil
	})
	if err != nil || n != 60 {
		t.Errorf("%d results, error %v", n, err)
	}
}

// A directory of any size takes the same memory: files are found when there is
// room for them, and results do not stay.
func TestConstantMemory(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"SB.litmus": sb})
	const tests = 6000
	found, done := 0, 0
	files := func(yield func(File) bool) {
		for range tests {
			found++
			if !yield(File{Path: filepath.Join(dir, "SB.litmus"), Rel: "SB.litmus"}) {
				return
			}
		}
	}
	var heap []uint64
	err := Run(context.Background(), files, Options{Workers: 2}, func(_ File, l *verdict.Litmus) error {
		if l.Err != nil {
			return l.Err
		}
		if done++; done%300 == 0 {
			runtime.GC()
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			heap = append(heap, m.HeapAlloc)
		}
		return nil
	})
	if err != nil || done != tests || found != tests {
		t.Fatalf("%d of %d tests, error %v", done, found, err)
	}
	// What is held at a moment depends on how long the queue is then, so that
	// the least of many moments is compared.
	before, after := slices.Min(heap[:len(heap)/2]), slices.Min(heap[len(heap)/2:])
	if after > before+1<<20 {
		t.Errorf("the heap grew from %d to %d bytes", before, after)
	}
}

// The queue is bounded: while the first result is not taken, only so many tests
// are begun.
func TestBoundedQueue(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"SB.litmus": sb})
	found := make(chan int, 1)
	found <- 0
	files := func(yield func(File) bool) {
		for range 10 * queue {
			found <- <-found + 1
			if !yield(File{Path: filepath.Join(dir, "SB.litmus")}) {
				return
			}
		}
	}
	enough := errors.New("enough")
	err := Run(context.Background(), files, Options{Workers: 2}, func(File, *verdict.Litmus) error {
		time.Sleep(100 * time.Millisecond)
		return enough
	})
	if n := <-found; err != enough || n > queue+4 {
		t.Errorf("%d files, error %v", n, err)
	}
}

func TestLimits(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"long.litmus": long, "loop.litmus": `X86_64 loop
{ uint64_t x; }
 P0          ;
L:           ;
 incq (x)    ;
 cmpq $3,(x) ;
 jne L       ;
exists ([x]=3)
`})
	run := func(ctx context.Context, name string, opts Options) (l *verdict.Litmus) {
		t.Helper()
		if err := Run(ctx, Files([]string{filepath.Join(dir, name)}), opts, func(_ File, r *verdict.Litmus) error {
			l = r
			return r.Err
		}); err != nil {
			t.Fatal(err)
		}
		return l
	}
	bg := context.Background()
	for _, e := range []engine.Name{engine.Explicit, engine.BMC, engine.Graphs} {
		if l := run(bg, "long.litmus", Options{Engine: e, Timeout: time.Millisecond}); l.Incomplete == "" || l.Verdict() != "Unknown" {
			t.Errorf("%s: %+v", e, l)
		}
		if l := run(bg, "loop.litmus", Options{Engine: e}); e != engine.Graphs && (l.Incomplete != "" || l.Verdict() != "Ok" || l.Observation != "Always") {
			t.Errorf("%s: %+v", e, l)
		}
	}
	if l := run(bg, "loop.litmus", Options{Engine: engine.Graphs, Unroll: 1}); l.Incomplete != "executions with loops of up to 1 rounds; --unroll goes further" {
		t.Errorf("%+v", l)
	}
	ctx, cancel := context.WithCancel(bg)
	cancel()
	if l := run(ctx, "long.litmus", Options{}); l != nil && l.Incomplete == "" {
		t.Errorf("%+v", l)
	}
}

func TestWitness(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"SB.litmus": sb})
	for _, e := range []engine.Name{engine.Explicit, engine.Graphs} {
		for m, asked := range map[memory.Model]bool{memory.TSO: true, memory.SC: false} {
			err := Run(context.Background(), Files([]string{dir}), Options{Model: m, Engine: e, Witnesses: true}, func(_ File, l *verdict.Litmus) error {
				if l.Err != nil || l.Witness == nil || l.Asked != asked {
					t.Errorf("%s, %s: %+v", e, m, l)
				}
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		}
	}
}

func TestModelFile(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"SB.litmus": sb, "free.cat": "\"free\"\nempty 0 as nothing\n"})
	free := memory.Model(filepath.Join(dir, "free.cat"))
	run := func(opts Options) (l *verdict.Litmus, err error) {
		err = Run(context.Background(), Files([]string{dir}), opts, func(_ File, r *verdict.Litmus) error {
			l = r
			return r.Err
		})
		return l, err
	}
	l, err := run(Options{Model: free})
	if err != nil || len(l.States) != 4 || l.Engine != "graphs" {
		t.Errorf("%+v, %v", l, err)
	}
	var usage *UsageError
	if _, err := run(Options{Model: free, Engine: engine.Explicit}); !errors.As(err, &usage) {
		t.Errorf("error %v", err)
	}
	var d *program.Diagnostic
	if _, err := run(Options{Model: "none.cat"}); !errors.As(err, &d) || !strings.Contains(err.Error(), "none.cat: cannot be read") {
		t.Errorf("error %v", err)
	}
}

func TestExpected(t *testing.T) {
	dir := t.TempDir()
	const same = `"name": "SB", "kind": "Allowed", "condition": "exists (0:rax=0 /\\ 1:rax=0)"`
	const states = `"0:rax=0; 1:rax=0;", "0:rax=0; 1:rax=1;", "0:rax=1; 1:rax=0;"`
	write(t, dir, map[string]string{"a/1.litmus": sb, "a/2.litmus": sb, "a/3.litmus": sb, "a/4.litmus": sb, "a/5.litmus": sb,
		"expected.jsonl": `{"file": "a/1.litmus", ` + same + `, "tso": {"states": [` + states + `, "0:rax=1; 1:rax=1;"], "observation": "Sometimes", "verdict": "Ok"}}
{"file": "a/2.litmus", ` + same + `, "tso": {"states": [` + states + `], "observation": "Never", "verdict": "No"}}

{"file": "a/3.litmus", "name": "MP", "tso": {"states": ["0:rax=1; 1:rax=1;", ` + states + `, "0:rax=2; 1:rax=1;"]}}
{"file": "a/4.litmus", ` + same + `, "sc": {}}`})
	x, err := ReadExpected(filepath.Join(dir, "expected.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	want := [][]string{
		nil,
		{"observation: Sometimes, expected Never", "verdict: Ok, expected No", "states that are not expected: 0:rax=1; 1:rax=1;"},
		{"name: SB, expected MP", "states that are missing: 0:rax=2; 1:rax=1;"},
		{"nothing is expected of this test under tso"},
		{"nothing is expected of this test"},
	}
	n := 0
	if err := Run(context.Background(), Files([]string{filepath.Join(dir, "a")}), Options{Expected: x}, func(f File, l *verdict.Litmus) error {
		if !slices.Equal(l.Differences, want[n]) {
			t.Errorf("%s: %q, want %q", f.Rel, l.Differences, want[n])
		}
		n++
		return nil
	}); err != nil || n != len(want) {
		t.Error(n, err)
	}
	for text, want := range map[string]string{
		"{}": "line 1: no file is named", "\n[]": "line 2: json: ", `{"file": 1}`: "line 1: file: ", `{"file": "x", "tso": 1}`: "line 1: tso: ",
	} {
		write(t, dir, map[string]string{"bad.jsonl": text})
		var d *program.Diagnostic
		if _, err := ReadExpected(filepath.Join(dir, "bad.jsonl")); !errors.As(err, &d) || !strings.Contains(d.Msg, want) {
			t.Errorf("%s: error %v", text, err)
		}
	}
}

// A solver lists what a test shows, as a search does, though states differ in more.
func TestObserved(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"a.litmus": `X86_64 a
{ }
 P0            | P1            | P2            ;
 movl $1,(x)   | movl $1,(y)   | movl $2,(x)   ;
 movl (y),%eax | movl (x),%eax | movl (y),%ebx ;
locations [y;]
filter (not (1:eax=2))
exists (0:eax=0 /\ x=2)
`})
	var got []*verdict.Litmus
	for _, e := range []engine.Name{engine.Explicit, engine.BMC} {
		err := Run(context.Background(), Files([]string{dir}), Options{Engine: e}, func(_ File, l *verdict.Litmus) error {
			got = append(got, l)
			return l.Err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(got[0].States, got[1].States) || got[0].Observation != got[1].Observation || got[1].Positive+got[1].Negative != len(got[1].States) {
		t.Errorf("got %+v\nand %+v", got[0], got[1])
	}
}

// In the kernel's C what a branch decides about ends where its arms meet.
func TestArms(t *testing.T) {
	const head = "C a\n{}\nP0(int *x, int *y) { int r0 = READ_ONCE(*x); int r1 = 0; if (r0) {"
	const tail = "}\nP1(int *x, int *y) { int r0 = READ_ONCE(*y); smp_mb(); WRITE_ONCE(*x, 1); }\nexists (0:r0=1 /\\ 1:r0=1)\n"
	dir := t.TempDir()
	write(t, dir, map[string]string{
		"a.litmus": head + " r1 = 1; } WRITE_ONCE(*y, 1); " + tail,
		"b.litmus": head + " WRITE_ONCE(*y, 1); } else { WRITE_ONCE(*y, 1); } " + tail,
		"c.litmus": head + " r1 = 1; if (r1) { r1 = 2; } WRITE_ONCE(*y, 1); } else { WRITE_ONCE(*y, 1); } " + tail,
	})
	for _, e := range []engine.Name{engine.Graphs, engine.BMC} {
		var got []string
		err := Run(context.Background(), Files([]string{dir}), Options{Engine: e}, func(_ File, l *verdict.Litmus) error {
			got = append(got, l.Observation)
			return l.Err
		})
		if want := []string{"Sometimes", "Never", "Never"}; err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: got %v, error %v", e, got, err)
		}
	}
}
