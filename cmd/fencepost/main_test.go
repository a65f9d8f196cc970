package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fencepost-verifier/fencepost"
	"github.com/fencepost-verifier/fencepost/engine"
	"github.com/fencepost-verifier/fencepost/explore"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/report"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// fake is an app whose library answers by the name of the file, so that every
// way a check can go is there. The last options are kept.
type fake struct {
	app
	out, err bytes.Buffer
	opts     fencepost.Options
	wait     bool // until the context ends
	asked    int  // how many checks there were
}

func newFake(stdin string) *fake {
	f := &fake{}
	f.app = app{stdin: strings.NewReader(stdin), stdout: &f.out, stderr: &f.err}
	check := func(ctx context.Context, p *program.Program, set []fencepost.Option) (*verdict.Result, error) {
		var opts fencepost.Options
		for _, s := range set {
			s(&opts)
		}
		f.opts = opts
		f.asked++
		convict := func(v *verdict.Violation) *verdict.Result {
			return verdict.Convict(&verdict.Run{Program: p, Model: opts.Model, Violation: v})
		}
		var r *verdict.Result
		if f.wait {
			<-ctx.Done()
		}
		switch name := filepath.Base(p.Source.Name); {
		case ctx.Err() != nil:
			r = verdict.Unknown(p, opts.Model, context.Cause(ctx).Error())
		case strings.HasPrefix(name, "store-buffer") && opts.Model == memory.TSO:
			r = convict(&verdict.Violation{Text: "it happens"})
		case name == "fault.imp":
			r = convict(&verdict.Violation{Kind: program.Fault, Text: "division by zero", Pos: program.Position{Line: 6, Col: 10}})
		case opts.Solver != "":
			panic("the solver is " + opts.Solver)
		case opts.Unroll == 13:
			return nil, errors.New("unlucky")
		case opts.Unroll == 14:
			return nil, p.Diagnose(program.Position{}, "too many threads", "")
		case opts.Unroll == 15:
			r = verdict.Unknown(p, opts.Model, "it is hard")
		case opts.Unroll == 16:
			r = verdict.Safe(p, opts.Model, verdict.Unrolled, nil)
		default:
			r = verdict.Safe(p, opts.Model, verdict.Exhaustive, nil)
		}
		r.Engine = "fake"
		return r, nil
	}
	// As the library does, with what is no verdict.
	judged := func(r *verdict.Result, err error) error {
		if err == nil {
			if d := report.Fault(r); d != nil {
				err = d
			}
		}
		return err
	}
	f.check = func(ctx context.Context, p *program.Program, set ...fencepost.Option) (*fencepost.Result, error) {
		r, err := check(ctx, p, set)
		if err := judged(r, err); err != nil {
			return nil, err
		}
		return &fencepost.Result{Result: r}, nil
	}
	f.finalStates = func(ctx context.Context, p *program.Program, set ...fencepost.Option) (*fencepost.States, error) {
		r, err := check(ctx, p, set)
		if err := judged(r, err); err != nil {
			return nil, err
		}
		var states []verdict.FinalState
		if err == nil {
			s := verdict.FinalState{Memory: make([]int64, len(p.Memory))}
			for _, t := range p.Threads {
				s.Regs = append(s.Regs, make([]int64, len(t.Regs)))
			}
			states = append(states, s)
		}
		return &fencepost.States{Result: r, List: states}, nil
	}
	return f
}

// Files that the fake judges differently.
const (
	unsafe   = "testdata/store-buffer.imp"
	automata = "testdata/store-buffer.txt"
	safe     = "testdata/sized.imp"
	fault    = "testdata/fault.imp"
	bad      = "testdata/bad.imp"
	empty    = "testdata/empty.imp"
)

// TestRun is about exit statuses and about what is printed where. A want that
// begins with = is the whole output, else a part of it; an empty one means that
// there must be no output.
func TestRun(t *testing.T) {
	const badMessage = "testdata/bad.imp:4:8: y is not declared\n    x := y\n         ^\n"
	usage := func(msg, cmd string) string {
		return "=fencepost: " + msg + "\nSee \"fencepost" + cmd + " --help\".\n"
	}
	tests := []struct {
		args   string
		status int
		stdout string
		stderr string
	}{
		// Verdicts.
		{"check " + safe, 0, "SAFE  testdata/sized.imp  under TSO (fake, 0.00 s)\n\n  because  exhaustive search", ""},
		{"check -q " + safe, 0, "=SAFE  testdata/sized.imp  under TSO (fake, 0.00 s)\n", ""},
		{"check " + unsafe, 1, "UNSAFE  testdata/store-buffer.imp  under TSO (fake, 0.00 s)\n\n  violated  it happens\n", ""},
		{"check " + automata, 1, "UNSAFE  testdata/store-buffer.txt", ""},
		{"check --model sc " + unsafe, 0, "SAFE  testdata/store-buffer.imp  under SC", ""},
		{"check -m=sc " + unsafe, 0, "SAFE  testdata/store-buffer.imp  under SC", ""},
		{"check --unroll 15 " + safe, 3, "UNKNOWN  testdata/sized.imp  under TSO (fake, 0.00 s)\n\n  reason  it is hard\n", ""},
		{"check -o json " + safe, 0, `={"schema":1,"type":"check","file":"testdata/sized.imp","model":"tso","verdict":"SAFE","engine":"fake","argument":"exhaustive search","seconds":0}` + "\n", ""},
		{"check -", 1, "UNSAFE  <stdin>  under TSO", ""},
		{"check -D N=3 " + safe, 0, "SAFE", ""},

		// Bad input: the diagnostic on stderr, and nothing else.
		{"check " + bad, 2, "", badMessage},
		{"check " + empty, 2, "", "=testdata/empty.imp: empty: there is no program in it\n"},
		{"check " + fault, 2, "", "=testdata/fault.imp:6:10: division by zero can be reached\n    r := 7 / x\n           ^\n"},
		{"check testdata/none.imp", 2, "", "=testdata/none.imp: cannot be read: no such file or directory\n"},
		{"check testdata", 2, "", "testdata: this is a directory\n"},
		{"check main.go", 2, "", "main.go: unknown kind of file: extension \".go\"\n  known are .imp (IMP), .txt and .asm (automata), .litmus (litmus tests), .c and .i (C)\n"},
		{"check -D M=3 " + safe, 2, "", "testdata/sized.imp: the program has no constant M to define\n"},
		{"check -D M=3 " + automata, 2, "", "testdata/store-buffer.txt: an automaton has no constants to define\n"},
		{"check --unroll 14 " + safe, 2, "", "=testdata/sized.imp: too many threads\n"},
		{"check -o json " + fault, 2, `={"schema":1,"type":"error","file":"testdata/fault.imp","verdict":"ERROR","error":"testdata/fault.imp:6:10: division by zero can be reached\n    r := 7 / x\n           ^","message":"division by zero can be reached","line":6,"column":10,"length":1}` + "\n", "fault.imp:6:10"},

		// Internal errors.
		{"check --unroll 13 " + safe, 4, "", "fencepost: internal error: testdata/sized.imp: unlucky\nThis is a defect in Fencepost. Please report it"},
		{"check --solver gini " + safe, 4, "", "fencepost: internal error: testdata/sized.imp: the solver is gini\n"},
		{"check --solver gini -o json " + safe, 4, `={"schema":1,"type":"error","file":"testdata/sized.imp","verdict":"ERROR","error":"the solver is gini"}` + "\n", "internal error"},

		// Several files: each gets its turn, the worst status counts.
		{"check " + safe + " " + safe, 0, "SAFE", ""},
		{"check " + unsafe + " " + safe, 1, "\n\nSAFE  ", ""},
		{"check -q " + unsafe + " " + safe, 1, "=UNSAFE  testdata/store-buffer.imp  under TSO (fake, 0.00 s)\nSAFE  testdata/sized.imp  under TSO (fake, 0.00 s)\n", ""},
		{"check -q --unroll 15 " + safe + " " + unsafe, 1, "UNKNOWN", ""},
		{"check -q " + bad + " " + unsafe, 2, "=UNSAFE  testdata/store-buffer.imp  under TSO (fake, 0.00 s)\n", badMessage},
		{"check -q --unroll 13 " + bad + " " + safe + " " + unsafe, 4, "UNSAFE", "internal error"},
		{"check -q --solver gini " + safe + " " + unsafe, 4, "UNSAFE", "internal error"},

		// Bad usage: what is wrong, what might be right, where help is.
		{"", 2, "", "fencepost: no command given\n\nAsk about programs:\n  check       Decide whether programs are correct\n"},
		{"chek " + safe, 2, "", usage(`unknown command "chek" for "fencepost"; did you mean check?`, "")},
		{"foo " + safe, 2, "", usage(`unknown command "foo" for "fencepost"`, "")},
		{"chek --model sc " + safe, 2, "", usage(`unknown command "chek" for "fencepost"; did you mean check?`, "")},
		{safe, 2, "", usage(`unknown command "testdata/sized.imp" for "fencepost"; to check a file: fencepost check FILE`, "")},
		{"check", 2, "", usage("no file given (./... stands for all below this folder; fencepost init begins one)", " check")},
		{"check --modle sc " + safe, 2, "", usage("unknown flag --modle; did you mean --model?", " check")},
		{"check --zzz " + safe, 2, "", usage("unknown flag --zzz", " check")},
		{"check -model sc " + safe, 2, "", usage("unknown flag -model; did you mean --model?", " check")},
		{"check -z " + safe, 2, "", usage("unknown flag -z", " check")},
		{"check --model tsx " + safe, 2, "", usage(`--model: unknown memory model "tsx"; did you mean tso? (known: `+strings.Join(words(fencepost.Models()...), ", ")+`, and files that end in .cat)`, " check")},
		{"check --engine sit " + safe, 2, "", `fencepost: --engine: unknown engine "sit"; did you mean set? (known: auto, explicit, bmc, `},
		{"check --search xyz " + safe, 2, "", usage(`--search: unknown search order "xyz" (known: bfs, dfs)`, " check")},
		{"check --por=all " + safe, 2, "", usage(`--por: unknown reduction "all" (known: none, local, persistent, cartesian)`, " check")},
		{"check -o xml " + safe, 2, "", usage(`--output: unknown output format "xml" (known: text, json, sarif, junit, github)`, " check")},
		{"check --unroll x " + safe, 2, "", usage(`--unroll: want a number from 0, not "x"`, " check")},
		{"check --buffer -1 " + safe, 2, "", usage(`--buffer: want a number from 0, not "-1"`, " check")},
		{"check --timeout soon " + safe, 2, "", usage(`--timeout: want a time such as 90, 90s or 5m, not "soon"`, " check")},
		{"check --memory-limit much " + safe, 2, "", usage(`--memory-limit: want a size such as 512M or 4G, not "much"`, " check")},
		{"check --memory-limit 4 " + safe, 2, "", usage("--memory-limit: 4 is too little: the process takes at least 64M (a size without K, M, G or T counts bytes)", " check")},
		{"check -D N " + safe, 2, "", "=testdata/sized.imp: -D N: a constant has an integer as its value\n  give it one, as in -D N=3; other texts are for C\n"},
		{"check -q -m armv8 ../../examples/litmus/MP+dmb.sy+addr.litmus", 0, "SAFE  ../../examples/litmus/MP+dmb.sy+addr.litmus  under ARMV8", ""},
		{"check --std c11 " + safe, 2, "", "=testdata/sized.imp: std and mapping say how C is read, and this is no C\n  leave them out\n"},
		{"check -D 3=N " + safe, 2, "", usage(`--define: want NAME=VALUE, as in N=3, not "3=N"`, " check")},
		{"check --mapping mfenc " + safe, 2, "", usage(`--mapping: unknown mapping "mfenc"; did you mean mfence? (known: xchg, mfence)`, " check")},
		{"check --solver no-such-solver " + safe, 2, "", `--solver: no back end "no-such-solver"`},
		{"check " + safe + " --model", 2, "", usage("flag needs an argument: --model", " check")},
		{"states", 2, "", usage("no file given", " states")},
		{"states " + safe + " " + bad, 2, "", usage(`unexpected argument "testdata/bad.imp"`, " states")},
		{"print --to svg " + safe, 2, "", usage(`--to: unknown form "svg" (known: text, asm, dot)`, " print")},
		{"convert " + safe, 2, "", usage("--to is missing (known: promela, asm, dot)", " convert")},
		{"convert --to spin " + safe, 2, "", usage(`--to: unknown form "spin" (known: promela, asm, dot)`, " convert")},
		{"convert --to asm --buffer 2 " + safe, 2, "", usage("--buffer is for --to promela", " convert")},
		{"convert --to promela -m pso " + safe, 2, "", usage(`--model: unknown memory model "pso"; did you mean tso? (known: sc, tso)`, " convert")},
		{"version x", 2, "", usage(`unexpected argument "x"`, " version")},
		{"help chek", 2, "", usage(`unknown help topic "chek"; did you mean check?`, " help")},
		{"completion", 2, "", usage("no shell given (bash, fish, powershell, zsh)", " completion")},
		{"completion fsh", 2, "", usage(`unknown shell "fsh"; did you mean fish?`, " completion")},

		// The other commands.
		{"states " + unsafe, 3, "=States 1\nP0.r=0; P1.r=0; x=0; y=0;\nIncomplete: the engine gave no reason\n", ""},
		{"states -m sc " + unsafe, 0, "=States 1\nP0.r=0; P1.r=0; x=0; y=0;\n", ""},
		{"states -m sc -o json " + unsafe, 0, `={"schema":1,"type":"states","file":"testdata/store-buffer.imp","model":"sc","complete":true,"engine":"fake","seconds":0,"states":[{"registers":{"P0":{"r":0},"P1":{"r":0}},"memory":{"x":0,"y":0}}]}` + "\n", ""},
		{"states --unroll 15 " + safe, 3, "Incomplete: it is hard\n", ""},
		{"states --unroll 13 " + safe, 4, "", "internal error"},
		{"states " + fault, 2, "", "=testdata/fault.imp:6:10: division by zero can be reached\n    r := 7 / x\n           ^\n"},
		{"states " + bad, 2, "", badMessage},
		{"print " + unsafe, 0, "store x <- 1", ""},
		{"print --to dot " + unsafe, 0, "digraph", ""},
		{"print --to asm " + unsafe, 0, "write 1", ""},
		{"print -D N=17 " + safe, 0, "17", ""},
		{"print --to asm " + fault, 2, "", "testdata/fault.imp"},
		{"print " + bad, 2, "", badMessage},
		{"convert --to promela " + unsafe, 0, "active proctype P0", ""},
		{"convert --to promela -m sc -D N=3 " + safe, 0, "sequential consistency", ""},
		{"convert --to asm " + unsafe, 0, "write 1", ""},
		{"convert --to dot " + unsafe, 0, "digraph", ""},
		{"convert --to promela " + bad, 2, "", badMessage},
		{"convert --to promela testdata/endless.imp", 2, "", "testdata/endless.imp:"},
		{"version", 0, "fencepost ", ""},
		{"--version", 0, "fencepost ", ""},
		{"completion bash", 0, "bash completion", ""},
		{"__complete check --model t", 0, "tso\n", "Completion ended"},
		{"__complete check --engine b", 0, "bmc\n", "Completion ended"},
		{"__complete check --search d", 0, "dfs\n", "Completion ended"},
		{"__complete check --solver g", 0, "gini\n", "Completion ended"},
		{"__complete check --model ../../memory/ts", 0, "../../memory/tso.cat\n", "Completion ended"},
		{"__complete models show ../../memory/ts", 0, "../../memory/tso.cat\n", "Completion ended"},
		{"__complete litmus --models sc,../../memory/ts", 0, "sc,../../memory/tso.cat\n", "Completion ended"},
		{"__complete batch --model sc,t", 0, "sc,tso\n", "Completion ended"},
		{"__complete check ../../examples/dekker", 0, "../../examples/dekker-simple.imp\n../../examples/dekker.imp\n:4\n", "Completion ended"},
		{"__complete litmus ../../examples/", 0, "../../examples/litmus/\n../../examples/thesis/\n:6\n", "Completion ended"},
		{"__complete print --to d", 0, "dot\n", "Completion ended"},
		{"__complete convert --to p", 0, "promela\n", "Completion ended"},
		{"__complete help s", 0, "states\n", "Completion ended"},
	}
	stdin, err := os.ReadFile(unsafe)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range tests {
		f := newFake(string(stdin))
		// Standard input has no name by which the fake could judge.
		if strings.HasSuffix(tt.args, " -") {
			check := f.check
			f.check = func(ctx context.Context, p *program.Program, opts ...fencepost.Option) (*fencepost.Result, error) {
				p.Source.Name = unsafe
				r, err := check(ctx, p, opts...)
				p.Source.Name = "<stdin>"
				return r, err
			}
		}
		if got := f.run(context.Background(), strings.Fields(tt.args)); got != tt.status {
			t.Errorf("%s: status %d, want %d", tt.args, got, tt.status)
		}
		compare(t, tt.args+": stdout", f.out.String(), tt.stdout)
		compare(t, tt.args+": stderr", f.err.String(), tt.stderr)
	}
}

func compare(t *testing.T, what, got, want string) {
	t.Helper()
	if whole, ok := strings.CutPrefix(want, "="); ok || want == "" {
		if got != whole {
			t.Errorf("%s:\n%s\nwant:\n%s", what, got, whole)
		}
	} else if !strings.Contains(got, want) {
		t.Errorf("%s:\n%s\nwant in it:\n%s", what, got, want)
	}
}

func TestHelp(t *testing.T) {
	for _, cmd := range []string{"", "check", "robust", "fences", "litmus", "explain", "states", "print", "convert", "models", "version", "help"} {
		for _, args := range []string{cmd + " --help", "help " + cmd} {
			f := newFake("")
			if got := f.run(context.Background(), strings.Fields(args)); got != 0 {
				t.Errorf("%s: status %d", args, got)
			}
			if f.err.Len() > 0 {
				t.Errorf("%s: stderr %s", args, f.err.String())
			}
			_, examples, ok := strings.Cut(f.out.String(), "Examples:\n  fencepost")
			if !ok || !strings.Contains(examples, cmd) {
				t.Errorf("%s: no example in\n%s", args, f.out.String())
			}
			for _, line := range strings.Split(f.out.String(), "\n") {
				if len(line) > 110 {
					t.Errorf("%s: %d columns: %s", args, len(line), line)
				}
			}
		}
	}
}

func TestOptions(t *testing.T) {
	tests := []struct {
		flags string
		want  engine.Options
	}{
		{"", engine.Options{Model: memory.TSO, Engine: engine.Auto, Reduction: explore.Persistent}},
		{"-m sc -e explicit --search dfs --por none --buffer 3", engine.Options{
			Model: memory.SC, Engine: engine.Explicit, DepthFirst: true, Reduction: explore.NoReduction, Buffer: 3}},
		{"--engine=bmc --unroll=7 --memory-limit 4G", engine.Options{
			Model: memory.TSO, Engine: engine.BMC, Reduction: explore.Persistent, Unroll: 7, MemoryLimit: 4 << 30}},
	}
	for _, tt := range tests {
		for _, cmd := range []string{"check ", "states "} {
			f := newFake("")
			f.run(context.Background(), strings.Fields(cmd+tt.flags+" "+safe))
			f.opts.Progress = nil // not comparable
			if tt.want.MemoryLimit > 0 && f.opts.MemoryLimit < tt.want.MemoryLimit && f.opts.MemoryLimit > tt.want.MemoryLimit/2 {
				f.opts.MemoryLimit = tt.want.MemoryLimit // what the process itself needs is no matter
			}
			if got, want := mustJSON(t, f.opts.Options), mustJSON(t, tt.want); got != want {
				t.Errorf("%s%s: %s, want %s", cmd, tt.flags, got, want)
			}
		}
	}
}

func mustJSON(t *testing.T, o engine.Options) string {
	t.Helper()
	type plain struct { // without the function
		Model          memory.Model
		Engine         engine.Name
		DepthFirst     bool
		Reduction      explore.Reduction
		Unroll, Buffer int
		Solver         string
		MemoryLimit    int64
	}
	b, err := json.Marshal(plain{o.Model, o.Engine, o.DepthFirst, o.Reduction, o.Unroll, o.Buffer, o.Solver, o.MemoryLimit})
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// Interrupts and time limits end the context, and what is known is printed.
func TestStop(t *testing.T) {
	f := newFake("")
	f.wait = true
	if got := f.run(context.Background(), []string{"check", "--timeout", "0.01", safe, unsafe}); got != exitUnknown {
		t.Errorf("status %d", got)
	}
	if got, want := f.out.String(), "context deadline exceeded"; strings.Count(got, want) != 2 {
		t.Errorf("no %q twice in\n%s", want, got)
	}

	f = newFake("")
	f.wait = true
	ctx, cancel := context.WithCancelCause(context.Background())
	time.AfterFunc(10*time.Millisecond, func() { cancel(errors.New("interrupted")) })
	if got := f.run(ctx, []string{"states", safe}); got != exitUnknown {
		t.Errorf("status %d", got)
	}
	if got := f.out.String(); !strings.Contains(got, "Incomplete: interrupted") {
		t.Errorf("got %s", got)
	}
}

func TestDebugStack(t *testing.T) {
	for _, value := range []string{"", "1"} {
		t.Setenv(debugVariable, value)
		f := newFake("")
		f.run(context.Background(), []string{"check", "--solver", "gini", safe})
		if got := strings.Contains(f.err.String(), "goroutine "); got != (value != "") {
			t.Errorf("%s=%s: %s", debugVariable, value, f.err.String())
		}
	}
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("no space left") }

func TestOutputFails(t *testing.T) {
	for _, args := range []string{"check " + safe, "check -o json " + safe, "states " + safe, "print " + safe, "convert --to dot " + safe, "version"} {
		f := newFake("")
		f.stdout = fullDisk{}
		if got := f.run(context.Background(), strings.Fields(args)); got != exitInput {
			t.Errorf("%s: status %d", args, got)
		}
		if got, want := f.err.String(), "fencepost: cannot write the output: no space left\n"; got != want {
			t.Errorf("%s: stderr %q", args, got)
		}
	}
}

// What print --to asm writes is input again.
func TestPrintReads(t *testing.T) {
	f := newFake("")
	f.run(context.Background(), []string{"print", "--to", "asm", unsafe})
	path := filepath.Join(t.TempDir(), "again.asm")
	if err := os.WriteFile(path, f.out.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	f = newFake("")
	if got := f.run(context.Background(), []string{"print", path}); got != 0 {
		t.Errorf("status %d: %s", got, f.err.String())
	}
}

func TestSizes(t *testing.T) {
	for s, want := range map[string]int64{
		"64M": 64 << 20, "4G": 4 << 30, "4g": 4 << 30, "1.5GiB": 3 << 29, "90MB": 90 << 20, "83886080": 80 << 20, "0": 0, "1T": 1 << 40, "67108864B": 64 << 20,
	} {
		var b bytesize
		if err := b.Set(s); err != nil || int64(b) != want {
			t.Errorf("%s: %d, %v; want %d", s, b, err, want)
		}
	}
	for _, s := range []string{"", "G", "-1G", "x", "1P", "NaN", "Inf", "1e30", "9999999T", "16M", "63M"} {
		var b bytesize
		if err := b.Set(s); err == nil {
			t.Errorf("%q: no error, %d", s, b)
		}
	}
}

func TestLimits(t *testing.T) {
	for s, want := range map[string]time.Duration{
		"90": 90 * time.Second, "0.5": time.Second / 2, "5m": 5 * time.Minute, "1h30m": 90 * time.Minute, "0": 0,
	} {
		var l limit
		if err := l.Set(s); err != nil || time.Duration(l) != want {
			t.Errorf("%s: %v, %v; want %v", s, time.Duration(l), err, want)
		}
	}
	for _, s := range []string{"", "-1", "-1s", "soon", "1e30", "9999999999999"} {
		var l limit
		if err := l.Set(s); err == nil {
			t.Errorf("%q: no error, %v", s, time.Duration(l))
		}
	}
}

func TestProgress(t *testing.T) {
	if newProgress(&bytes.Buffer{}) != nil {
		t.Error("progress without a terminal")
	}
	var b bytes.Buffer
	p := &progress{w: &b, width: progressWidth, begun: time.Now().Add(-quiet)}
	p.show("1 state")
	p.show(strings.Repeat("x", 200))
	p.clear()
	p.show("too late")
	p.clear()
	want := clearLine + "1 state" + clearLine + strings.Repeat("x", 78) + "…" + clearLine
	if b.String() != want {
		t.Errorf("got %q", b.String())
	}
	(*progress)(nil).clear()
	b.Reset()
	early := &progress{w: &b, width: progressWidth, begun: time.Now().Add(time.Hour)}
	if early.show("1 state"); b.Len() > 0 {
		t.Error("progress before anybody has waited")
	}
}
