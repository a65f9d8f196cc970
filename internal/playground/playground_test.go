package playground

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/examples"
)

func text(t *testing.T, name string) string {
	t.Helper()
	b, err := examples.Files.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// A question is a request and what there has to be in the answer.
type question struct {
	name string
	q    Request
	word string // of the document; "": none
	says string // of the problem; "": none
	line int    // likewise
}

func questions(t *testing.T) []question {
	sb, dekker, peterson := text(t, "litmus/SB.litmus"), text(t, "dekker.imp"), text(t, "c/peterson.c")
	return []question{
		{"SB", Request{Do: "check", File: "SB.litmus", Text: sb}, "UNSAFE", "", 0},
		{"SB under SC", Request{Do: "explain", File: "SB.litmus", Text: sb, Model: "sc"}, "FORBIDDEN", "", 0},
		{"Dekker", Request{Do: "check", File: "program.imp", Text: dekker}, "UNSAFE", "", 0},
		{"Dekker under SC", Request{Do: "check", File: "program.imp", Text: dekker, Model: "sc"}, "SAFE", "", 0},
		{"by bmc", Request{Do: "check", File: "program.imp", Text: dekker, Engine: "bmc"}, "UNSAFE", "", 0},
		{"fences", Request{Do: "fences", File: "program.imp", Text: dekker}, "4 FENCES", "", 0},
		{"robust", Request{Do: "robust", File: "program.imp", Text: dekker}, "NOT ROBUST", "", 0},
		{"C", Request{Do: "check", File: "program.c", Text: peterson}, "UNSAFE", "", 0},
		{"C under RC11", Request{Do: "check", File: "program.c", Text: text(t, "c/dekker.c"), Model: "rc11"}, "UNSAFE", "", 0},
		{"races", Request{Do: "check", File: "program.c", Text: text(t, "c/seqlock-plain.c"), Property: "race"}, "UNSAFE", "", 0},
		{"automata", Request{Do: "robust", File: "program.asm", Text: text(t, "automata/store-buffer.asm")}, "NOT ROBUST", "", 0},
		{"right", Request{Do: "diagnose", File: "program.imp", Text: dekker}, "", "", 0},
		{"wrong", Request{Do: "diagnose", File: "program.imp", Text: "program P\nvariables x = 0\nprocess Q begin y := 1 end\n"}, "", "y", 3},
		{"a division by zero", Request{Do: "check", File: "p.imp", Text: "program P\nvariables x = 0\nprocess Q\n  local r\nbegin r := x; r := 1 / r end\n"}, "", "division by zero", 5},
		{"a header that is not there", Request{Do: "check", File: "p.c", Text: "#include \"/etc/passwd\"\nint main(void) { return 0; }\n"}, "", "/etc/passwd", 1},
		{"no model", Request{Do: "check", File: "p.imp", Text: dekker, Model: "../x.cat"}, "", "there is no model", 0},
		{"no engine", Request{Do: "check", File: "p.imp", Text: dekker, Engine: "magic"}, "", "magic", 0},
		{"no property", Request{Do: "check", File: "p.imp", Text: dekker, Property: "peace"}, "", "there is no property", 0},
		{"nothing to do", Request{Do: "dance", File: "p.imp", Text: dekker}, "", "there is no question", 0},
		{"for ever", Request{Do: "check", File: "p.imp", Text: dekker, Seconds: 1e9}, "", "seconds", 0},
		{"too long", Request{Do: "check", File: "p.imp", Text: strings.Repeat(" ", maxText+1)}, "", "too many", 0},
		{"another language", Request{Do: "check", File: "p.exe", Text: "x"}, "", ".exe", 0},
	}
}

func (q *question) hold(t *testing.T, answer []byte) {
	t.Helper()
	var r Response
	if err := json.Unmarshal(answer, &r); err != nil {
		t.Fatalf("%s: %v in %.200s", q.name, err, answer)
	}
	word, says, line := "", "", 0
	if r.Document != nil {
		word = r.Document.Word
	}
	if r.Problem != nil {
		says, line = r.Problem.Message+r.Problem.Hint, r.Problem.Line
		if r.Problem.Defect {
			t.Errorf("%s: a defect: %s", q.name, says)
		}
	}
	if word != q.word || (q.says == "") != (says == "") || !strings.Contains(says, q.says) || line != q.line {
		t.Errorf("%s: %s, line %d %q; want %s, line %d %q", q.name, word, line, says, q.word, q.line, q.says)
	}
}

func TestAnswer(t *testing.T) {
	for _, q := range questions(t) {
		if q.name == "a header that is not there" {
			continue // here there are files; in a browser there are none
		}
		request, err := json.Marshal(q.q)
		if err != nil {
			t.Fatal(err)
		}
		q.hold(t, Answer(context.Background(), request, nil))
	}
	for _, bad := range []string{"", "{", "[]", `{"text":7}`} {
		var r Response
		if err := json.Unmarshal(Answer(context.Background(), []byte(bad), nil), &r); err != nil || r.Problem == nil {
			t.Errorf("%q: %v, %+v", bad, err, r)
		}
	}
}

// TestAbout: every example can be read as the language that its name tells, and every engine and
// model that is offered is there.
func TestAbout(t *testing.T) {
	a := about()
	if a.Examples[0].File != first[0] || len(a.Examples) < 70 || len(a.Engines) < 5 || len(a.Models) < 8 {
		t.Errorf("%d examples from %s, %d engines, %d models", len(a.Examples), a.Examples[0].File, len(a.Engines), len(a.Models))
	}
	extensions := map[string]bool{}
	for _, l := range a.Languages {
		extensions[l.Extension] = true
	}
	for _, e := range a.Examples {
		if !extensions[filepath.Ext(e.File)] {
			t.Errorf("%s is in no language", e.File)
		}
		request, _ := json.Marshal(Request{Do: "diagnose", File: e.File, Text: e.Text})
		if got := string(Answer(context.Background(), request, nil)); got != "{}" {
			t.Errorf("%s: %s", e.File, got)
		}
	}
}

// checker builds the checker as the page has it but without inlining, which takes two thirds of the time, and gives its place and that of its script.
func checker(t *testing.T) (module, script string) {
	t.Helper()
	if testing.Short() {
		t.Skip("builds the checker for WebAssembly")
	}
	module = filepath.Join(t.TempDir(), "fencepost.wasm")
	build := exec.Command("go", "build", "-gcflags=all=-l -dwarf=false", "-trimpath", "-ldflags=-s -w", "-o", module, "../../cmd/playground")
	build.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	return module, filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm", "wasm_exec.js")
}

// TestWasm asks the checker the same questions as WebAssembly, under Node where that is
// installed, and looks at its size.
func TestWasm(t *testing.T) {
	module, script := checker(t)
	b, err := os.ReadFile(module)
	if err != nil {
		t.Fatal(err)
	}
	small, err := Compress(b, true)
	if err != nil {
		t.Fatal(err)
	}
	files, err := Site(&Wasm{Module: small})
	if err != nil {
		t.Fatal(err)
	}
	total := 0
	for _, f := range files {
		total += len(f)
	}
	const most = 13 << 19 // as the page has it, with inlining, that is 8 MiB
	t.Logf("the page takes %d bytes, of which the checker has %d (%d unpacked), under %s", total, len(small), len(b), runtime.Version())
	if total > most {
		t.Errorf("the page takes %d bytes; more than %d", total, most)
	}
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("there is no Node here to run WebAssembly")
	}
	var in bytes.Buffer
	all := questions(t)
	for _, q := range all {
		if err := json.NewEncoder(&in).Encode(q.q); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), node, "testdata/node.js", script, module)
	cmd.Stdin, cmd.Stderr = &in, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, 64<<20)
	for _, q := range all {
		if !lines.Scan() {
			t.Fatalf("%s: no answer", q.name)
		}
		var got struct {
			MS, Loaded float64
			Answer     json.RawMessage
		}
		if err := json.Unmarshal(lines.Bytes(), &got); err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %.0f ms (ready after %.0f ms)", q.name, got.MS, got.Loaded)
		q.hold(t, got.Answer)
	}
}
