package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/fencepost-verifier/fencepost/batch"
)

// endlessText is a program that a bounded search never comes to the end of.
const endlessText = "program Endless variables x = 0 process P begin while true do x := 1 - x od end process Q local r begin while true do r := x; assert r = 0 or r = 1 od end"

// asCommand is the test binary as the command.
func asCommand(t *testing.T, args string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, strings.Fields(args)...)
	cmd.Env = append(os.Environ(), "FENCEPOST_TEST_MAIN=1")
	return cmd
}

// A jobLine is what a batch prints of a job, or of itself.
type jobLine struct {
	Type, File, Verdict, Worker string
	Flags                       []string
	Kept                        bool
	Jobs, Done                  int
}

// batchLines reads what a batch has printed.
func batchLines(t *testing.T, out string) (jobs []jobLine, sum *jobLine) {
	t.Helper()
	for line := range strings.Lines(out) {
		var l jobLine
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		if l.Type == "batch" {
			sum = &l
		} else {
			jobs = append(jobs, l)
		}
	}
	return jobs, sum
}

// TestBatchKilled: three workers, one of which is killed in the middle of a job; then the server, and
// begun again: no job is lost, and none counts twice.
func TestBatchKilled(t *testing.T) {
	t.Parallel()
	dir, state := t.TempDir(), t.TempDir()
	want := map[string]string{}
	for i := range 12 {
		for name, x := range map[string][2]string{"racy": {racyText, "UNSAFE"}, "calm": {calmText, "SAFE"}} {
			name = fmt.Sprintf("%s%02d.imp", name, i)
			want[name] = x[1]
			write(t, filepath.Join(dir, name), x[0])
		}
	}
	for i := range 4 {
		name := fmt.Sprintf("a-slow%d.imp", i) // they come first
		want[name] = "UNKNOWN"
		write(t, filepath.Join(dir, name), endlessText)
	}
	command := "batch -o json --engine bmc --timeout 1s --lease 1s --workers 0 --state " + state + " " + dir
	begin := func() (*exec.Cmd, *bytes.Buffer, *bytes.Buffer) {
		cmd := asCommand(t, command)
		out, errs := new(bytes.Buffer), new(bytes.Buffer)
		cmd.Stdout, cmd.Stderr = out, errs
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { cmd.Process.Kill() })
		return cmd, out, errs
	}
	first, out1, _ := begin()
	place := placeOf(t, state)
	begun := watch(t, place)
	for range 3 {
		w := asCommand(t, "worker --workers 1 --nats "+place.URL+" --token-file "+filepath.Join(state, "token"))
		if err := w.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { w.Process.Kill(); w.Wait() })
	}
	victim := 0
	for p := range begun {
		if strings.Contains(p.At, "slow") {
			victim, _ = strconv.Atoi(p.Worker[strings.LastIndexByte(p.Worker, '-')+1:])
			break
		}
	}
	if p, err := os.FindProcess(victim); err != nil || p.Kill() != nil {
		t.Fatalf("there is no worker %d", victim)
	}
	time.Sleep(300 * time.Millisecond)
	first.Process.Kill()
	first.Wait()
	second, out2, errs := begin()
	if err := second.Wait(); second.ProcessState.ExitCode() != exitUnsafe {
		t.Fatalf("%v: %s", err, errs)
	}
	before, _ := batchLines(t, whole(out1.String()))
	jobs, sum := batchLines(t, out2.String())
	if sum == nil || sum.Jobs != len(want) || sum.Done != len(want) || len(jobs) != len(want) {
		t.Errorf("%d jobs, not %d: %+v", len(jobs), len(want), sum)
	}
	got := map[string]string{}
	kept := map[string]bool{}
	for _, j := range jobs {
		got[j.File], kept[j.File] = j.Verdict, j.Kept
	}
	for file, verdict := range want {
		if got[file] != verdict {
			t.Errorf("%s: %q, not %s", file, got[file], verdict)
		}
	}
	for _, j := range before {
		if !kept[j.File] {
			t.Errorf("%s was done before, and is not from before", j.File)
		}
	}
	// And all of it is from before.
	third, out3, _ := begin()
	third.Wait()
	jobs, sum = batchLines(t, out3.String())
	if len(jobs) != len(want) || slices.ContainsFunc(jobs, func(j jobLine) bool { return !j.Kept }) {
		t.Errorf("%d jobs, not all of them from before: %+v", len(jobs), sum)
	}
}

// whole is a text without a line that is not at its end.
func whole(s string) string { return s[:strings.LastIndexByte(s, '\n')+1] }

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// placeOf waits for the server of a state.
func placeOf(t *testing.T, state string) batch.Place {
	t.Helper()
	for range 3000 {
		port, err := os.ReadFile(filepath.Join(state, "port"))
		token, err2 := os.ReadFile(filepath.Join(state, "token"))
		if err == nil && err2 == nil && bytes.HasSuffix(port, []byte("\n")) {
			return batch.Place{URL: "nats://127.0.0.1:" + strings.TrimSpace(string(port)), Token: strings.TrimSpace(string(token))}
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("there is no server")
	return batch.Place{}
}

// watch tells what the workers tell.
func watch(t *testing.T, p batch.Place) chan *batch.Pulse {
	t.Helper()
	q, err := batch.Connect(p, "", true)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(q.Close)
	all := make(chan *batch.Pulse, 1000)
	if err := q.Pulses(func(p *batch.Pulse) { all <- p }); err != nil {
		t.Fatal(err)
	}
	return all
}

// TestBatch: what a batch does with a folder, and when it is asked for more.
func TestBatch(t *testing.T) {
	t.Setenv("FENCEPOST_TEST_MAIN", "1") // the workers are this program
	inFolder(t, map[string]string{
		"p/racy.imp": racyText, "p/calm.imp": calmText, "p/bad.imp": "program T process", "slow.imp": endlessText,
		"p/x86.litmus": "X86 SB\n{ x=0; y=0; }\n P0          | P1          ;\n MOV [x],$1  | MOV [y],$1  ;\n MOV EAX,[y] | MOV EAX,[x] ;\nexists (0:EAX=0 /\\ 1:EAX=0)\n",
		"p/c/main.c":   "#include \"inc.h\"\n#include <threads.h>\nint main(void) { return CODE; }\n", "p/c/inc.h": "#include \"../deep.h\"\n", "p/deep.h": "#define CODE 0\n",
		"my.cat": "\"mine\"\ninclude \"part.cat\"\nacyclic po | rf | fr | co as mine\n", "part.cat": "let unused = po\n",
	})
	run := func(args string) (int, []jobLine, *jobLine) {
		t.Helper()
		status, out, stderr := inShell(t, "batch -o json --workers 2 "+args)
		jobs, sum := batchLines(t, out)
		if strings.Contains(stderr, "internal") || sum == nil {
			t.Fatal(stderr)
		}
		return status, jobs, sum
	}
	status, jobs, _ := run("--model sc,tso --engine explicit,bmc p")
	verdicts := map[string]string{}
	for _, j := range jobs {
		verdicts[j.File+" "+strings.Join(j.Flags, " ")] = j.Verdict
	}
	for what, want := range map[string]string{
		"racy.imp --model=sc --engine=explicit":   "SAFE",
		"racy.imp --model=tso --engine=bmc":       "UNSAFE",
		"calm.imp --model=tso --engine=explicit":  "SAFE",
		"bad.imp --model=sc --engine=explicit":    "ERROR",
		"x86.litmus --model=sc --engine=explicit": "No",
		"x86.litmus --model=tso --engine=bmc":     "Ok",
		"c/main.c --model=sc --engine=explicit":   "SAFE",
	} {
		if verdicts[what] != want {
			t.Errorf("%s: %q, not %s", what, verdicts[what], want)
		}
	}
	if len(jobs) != 5*4 || status != exitInput {
		t.Errorf("%d jobs, status %d", len(jobs), status)
	}
	t.Run("limits", func(t *testing.T) {
		const args = "--engine bmc --state s slow.imp p/racy.imp --timeout "
		kept := func(jobs []jobLine) (n int) {
			for _, j := range jobs {
				if j.Kept {
					n++
				}
			}
			return n
		}
		for _, step := range []struct {
			timeout string
			kept    int
		}{{"1s", 0}, {"1s", 2}, {"1001ms", 1}, {"1001ms --retry", 1}} {
			if _, jobs, _ := run(args + step.timeout); kept(jobs) != step.kept {
				t.Errorf("--timeout %s: %+v", step.timeout, jobs)
			}
		}
	})
	t.Run("text", func(t *testing.T) {
		_, out, stderr := inShell(t, "batch --workers 1 --state s2 -D M=1,2 --as check p/racy.imp p/x86.litmus")
		if !strings.Contains(out, "ERROR    p/x86.litmus M=1") || !strings.Contains(out, "4 of 4 jobs done") {
			t.Errorf("%s%s", out, stderr)
		}
	})
	t.Run("models", func(t *testing.T) {
		if _, jobs, _ := run("--state s3 --model my.cat --engine graphs p/x86.litmus"); len(jobs) != 1 || jobs[0].Verdict != "No" {
			t.Errorf("%+v", jobs)
		}
	})
	t.Run("settings", func(t *testing.T) {
		write(t, "fencepost.yaml", "checks:\n  - files: [p/racy.imp]\n    model: [sc, tso]\n    timeout: 9s\n  - files: [p/calm.imp]\n")
		if _, jobs, _ := run("--state s4"); len(jobs) != 3 {
			t.Errorf("%+v", jobs)
		}
		write(t, "fencepost.yaml", "checks:\n  - files: [p/racy.imp]\n    save-run: x.json\n")
		if status, _, stderr := inShell(t, "batch --state s4"); status != exitInput || !strings.Contains(stderr, "a batch does no --save-run") {
			t.Error(stderr)
		}
	})
}

// TestBatchUsage: what is wrong with a command line is said.
func TestBatchUsage(t *testing.T) {
	inFolder(t, map[string]string{"p/racy.imp": racyText, "p/t.litmus": "X86 t\n", "q/notes.md": "x"})
	for args, want := range map[string]string{
		"batch":                                "no file given",
		"batch nothing.imp":                    "nothing.imp: cannot be read",
		"batch q":                              "there are no programs",
		"batch --model sc,tos p":               `unknown memory model "tos"; did you mean tso?`,
		"batch --solver sh p":                  "--solver",
		"batch --por none p/t.litmus":          "--por: there is no file here that it is for",
		"batch --lease 1ms p":                  "--lease",
		"batch --nats nats://h --listen :1 p":  "leave out --listen",
		"batch --token-file x p":               "name it with --nats",
		"batch --listen nowhere p":             "want HOST:PORT",
		"batch --nats nats://127.0.0.1:1 p":    "the server of the queue: ",
		"batch --cores 0 p":                    "--cores",
		"worker":                               "no server given",
		"worker --workers 0 --nats nats://h":   "it takes one",
		"worker --nats h --token-file missing": "missing: cannot be read",
	} {
		if status, _, stderr := inShell(t, args); status != exitInput || !strings.Contains(stderr, want) {
			t.Errorf("%s: status %d, %s", args, status, stderr)
		}
	}
}

// TestTaskRefused: whoever can put jobs into the queue cannot read, write or run anything on the machine of a
// worker.
func TestTaskRefused(t *testing.T) {
	dir := t.TempDir()
	secret := filepath.Join(dir, "secret.h")
	write(t, secret, "TOP SECRET")
	main := map[string]string{"p.imp": racyText, "p.c": "#include \"" + secret + "\"\n#include \"secret.h\"\nint main(void) { return 0; }\n"}
	for _, x := range []struct {
		t      task
		limits []string
	}{
		{t: task{Command: "serve", File: "p.imp"}},
		{t: task{Command: "check", File: "p.imp", Flags: []string{"--solver=" + dir + "/evil"}}},
		{t: task{Command: "check", File: "p.imp", Flags: []string{"--save-run=" + dir + "/x"}}},
		{t: task{Command: "check", File: "p.imp", Flags: []string{"--graph=" + dir + "/x.svg"}}},
		{t: task{Command: "check", File: "p.imp", Flags: []string{"--cache", dir}}},
		{t: task{Command: "check", File: "p.imp", Flags: []string{"-D", "N=1"}}},
		{t: task{Command: "check", File: "p.imp", Flags: []string{"--model=" + dir + "/m.cat"}}},
		{t: task{Command: "check", File: "p.imp", Flags: []string{"--model=../m.cat"}, Models: map[string]string{"../m.cat": "x"}}},
		{t: task{Command: "check", File: "p.imp"}, limits: []string{"--html=" + dir + "/x"}},
		{t: task{Command: "litmus", File: "p.imp", Flags: []string{"--against=" + secret}}},
		{t: task{Command: "check", File: secret}},
		{t: task{Command: "litmus", File: secret}},
		{t: task{Command: "litmus", File: "@" + secret}},
		{t: task{Command: "check", File: "p.c", Flags: []string{"--include=" + dir}}},
	} {
		x.t.Texts = main
		o := x.t.do(t.Context(), x.limits)
		if o.Status != exitInput || !bytes.Contains(o.Object, []byte(`"ERROR"`)) || bytes.Contains(o.Object, []byte("TOP SECRET")) {
			t.Errorf("%+v: %d %s", x.t, o.Status, o.Object)
		}
	}
	if found, _ := os.ReadDir(dir); len(found) != 1 {
		t.Errorf("there is something new: %v", found)
	}
	good := task{Command: "check", File: "p.imp", Texts: main}
	if o := good.do(context.Background(), nil); o.Status != exitUnsafe {
		t.Errorf("%d %s", o.Status, o.Object)
	}
}

// TestTaskTexts: a task brings along what its file includes, and every byte as it is; nothing from elsewhere.
func TestTaskTexts(t *testing.T) {
	inFolder(t, included)
	for name, text := range map[string]string{
		"c/a.c":   "#define HEADER \"b.h\"\n#include HEADER\n#include \"none.h\"\n#include CONFIG\n#include \"../../outside.h\"\n",
		"c/b.h":   "#include <d.h>\n#include OTHER\n",
		"c/d.h":   "",
		"i/d.h":   "// caf\xe9\n",
		"i/e.h":   "",
		"bad.imp": "program P // caf\xe9\nprocess Q begin end",
		"com.imp": "program P include // \"x\"\n /* the\n lib */ \"p/lib/wait.imp\" include/**/\"i/e.imp\" process Q begin wait() end",
		"i/e.imp": "const E = 1",
	} {
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		write(t, name, text)
	}
	write(t, filepath.Join("..", "outside.h"), "")
	var warned []string
	x := &finder{root: ".", texts: map[string]string{}, warn: func(format string, args ...any) { warned = append(warned, fmt.Sprintf(format, args...)) }}
	for _, tt := range []struct {
		t    task
		want string // the texts that it has
	}{
		{task{File: "p/uses.imp"}, "p/lib/wait.imp p/uses.imp"},
		{task{File: "p/q/other.imp"}, "p/q/other.imp"},
		{task{File: "p/q/other.imp", Flags: []string{"--include=p/lib"}}, "p/lib/wait.imp p/q/other.imp"},
		{task{File: "c/a.c", Flags: []string{"--include=i", "--define=CONFIG=<e.h>"}}, "c/a.c c/b.h i/d.h i/e.h"},
		{task{File: "bad.imp"}, "bad.imp"},
		{task{File: "com.imp"}, "com.imp i/e.imp p/lib/wait.imp"},
	} {
		if err := x.fill(&tt.t); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(slices.Sorted(maps.Keys(tt.t.Texts)), " "); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.t.File, got, tt.want)
		}
		var back task
		if b, err := json.Marshal(tt.t); err != nil || json.Unmarshal(b, &back) != nil || !maps.Equal(back.Texts, tt.t.Texts) {
			t.Errorf("%s: %v %v", tt.t.File, err, back.Texts)
		}
	}
	if len(warned) != 1 || !strings.Contains(warned[0], "c/b.h includes a file that the macro OTHER names") {
		t.Error(warned)
	}
	bad := task{Command: "check", File: "bad.imp"}
	if err := x.fill(&bad); err != nil {
		t.Fatal(err)
	}
	if o := bad.do(t.Context(), nil); !bytes.Contains(o.Object, []byte("is not UTF-8")) {
		t.Errorf("%s", o.Object)
	}
}

// TestTaskFolder: no task finds a file that another one has brought, and none looks for files on the machine.
func TestTaskFolder(t *testing.T) {
	t.Chdir(t.TempDir())
	o := &workerOrders{}
	defer func() { os.RemoveAll(o.folder) }()
	do := func(x *task) string {
		x.Texts = map[string]string{"p.imp": "program P variables x = y = 0 " +
			"process P local r begin x := 1; r := y end process Q local r begin y := 1; r := x end exists P.r = 0 & Q.r = 0"}
		work, err := json.Marshal(x)
		if err != nil {
			t.Fatal(err)
		}
		return string(o.do(t.Context(), &batch.Job{Work: work}).Answer)
	}
	own := &task{Command: "check", File: "p.imp", Flags: []string{"--model=m.cat"}, Models: map[string]string{
		"m.cat": "include \"part.cat\"\nacyclic a as x\n", "part.cat": "let a = po\n", "cos.cat": "let fr = 0\n", "d": ""}}
	if got := do(own); !strings.Contains(got, `"UNSAFE"`) {
		t.Error(got)
	}
	own = &task{Command: "check", File: "p.imp", Flags: []string{"--model=m.cat"}, Models: map[string]string{"m.cat": own.Models["m.cat"]}}
	if got := do(own); !strings.Contains(got, "no such file") {
		t.Errorf("what another task has left is included: %s", got)
	}
	own = &task{Command: "check", File: "p.imp", Flags: []string{"--model=d/m.cat"}, Models: map[string]string{"d/m.cat": "include \"cos.cat\"\nacyclic po | rf | co | fr as sc\n"}}
	if got := do(own); !strings.Contains(got, `"SAFE"`) {
		t.Error(got)
	}
	everything := t.TempDir()
	write(t, filepath.Join(everything, "telling.imp"), calmText)
	if got := do(&task{Command: "check", File: everything + "/..."}); strings.Contains(got, "telling") {
		t.Errorf("a task looks for files: %s", got)
	}
}

// TestBatchInterrupted: Ctrl-C ends a batch, with what is known.
func TestBatchInterrupted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a.imp"), calmText)
	write(t, filepath.Join(dir, "slow.imp"), endlessText)
	cmd := asCommand(t, "batch --engine bmc --workers 2 --state "+t.TempDir()+" "+dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		fmt.Fprintln(&all, lines.Text())
		if strings.HasPrefix(lines.Text(), "SAFE") {
			cmd.Process.Signal(os.Interrupt)
		}
	}
	cmd.Wait()
	if got := cmd.ProcessState.ExitCode(); got != exitUnknown || stderr.Len() > 0 || !strings.Contains(all.String(), "1 of 2 jobs done") || !strings.Contains(all.String(), "the same command goes on") {
		t.Errorf("status %d\n%s%s", got, all.String(), stderr.String())
	}
}
