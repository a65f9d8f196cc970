package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// litmusTests is a directory with tests of every kind.
const litmusTests = "testdata/litmus"

func runReal(t *testing.T, args string) (status int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	status = run(context.Background(), strings.Fields(args), strings.NewReader(""), &out, &errs)
	return status, timeless(out.String()), errs.String()
}

var times = []struct {
	re *regexp.Regexp
	to string
}{
	{regexp.MustCompile(`(?m)^(Time \S+) \d+\.\d+$`), "$1 0.00"},
	{regexp.MustCompile(`\d+\.\d+ s, \d+ tests/s`), "0.00 s, 0 tests/s"},
	{regexp.MustCompile(`"seconds":[0-9.e-]+`), `"seconds":0`},
	{regexp.MustCompile(`\((\w+, )?\d+\.\d+ s\)`), "(${1}0.00 s)"},
	{regexp.MustCompile(`(?m),\d+\.\d{6},`), ",0,"},
}

// timeless is s without times, which differ.
func timeless(s string) string {
	for _, r := range times {
		s = r.re.ReplaceAllString(s, r.to)
	}
	return s
}

// golden compares with a file in testdata, or writes it where the environment
// asks for that.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", "golden", name)
	if os.Getenv("FENCEPOST_UPDATE") != "" {
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s: got\n%s\nwant\n%s", name, got, want)
	}
}

func TestLitmusGolden(t *testing.T) {
	const syntax, movnti = "more/syntax.litmus:4:14: expected )", "more/unsupported.litmus:4:2: movntiq: non-temporal"
	tests := []struct {
		file   string
		args   string
		status int
		stderr []string
	}{
		{"litmus-tso.txt", "litmus " + litmusTests, 2, []string{syntax, movnti}},
		{"litmus-sc.txt", "litmus -j 1 -m sc " + litmusTests, 2, []string{syntax, movnti}},
		{"litmus-pso-graphs.txt", "litmus -m pso -e graphs " + litmusTests, 2, []string{syntax, movnti}},
		{"litmus.csv", "litmus -o csv " + litmusTests, 2, []string{syntax, movnti}},
		{"litmus.jsonl", "litmus -e bmc -o json " + litmusTests, 2, []string{syntax, movnti}},
		{"litmus-one.txt", "litmus " + litmusTests + "/SB.litmus", 0, nil},
		{"litmus-cat.txt", "litmus -q -m testdata/coherence.cat " + litmusTests, 2, []string{syntax, movnti}},
		{"litmus-against.txt", "litmus --against testdata/expected.jsonl " + litmusTests + "/SB.litmus " + litmusTests + "/MP.litmus", 1, nil},
		{"explain-sb-sc.txt", "explain -m sc " + litmusTests + "/SB.litmus", 0, nil},
		{"explain-sb-tso.txt", "explain " + litmusTests + "/SB.litmus", 0, nil},
		{"explain-iriw.txt", "explain " + litmusTests + "/IRIW.litmus", 0, nil},
		{"explain-xchg.txt", "explain " + litmusTests + "/more/SB+xchgs.litmus", 0, nil},
		{"explain-imp.txt", "explain -m sc " + unsafe, 0, nil},
		{"explain-cat.txt", "explain -m testdata/coherence.cat " + litmusTests + "/IRIW.litmus", 0, nil},
		{"explain-corr.txt", "explain -m testdata/coherence.cat testdata/CoRR.litmus", 0, nil},
		{"explain.jsonl", "explain -m sc -o json " + litmusTests + "/SB.litmus", 0, nil},
		{"models-check.txt", "models check testdata/coherence.cat tso", 0, nil},
	}
	for _, tt := range tests {
		status, stdout, stderr := runReal(t, tt.args)
		if status != tt.status {
			t.Errorf("%s: status %d, want %d\n%s", tt.args, status, tt.status, stderr)
		}
		for _, part := range tt.stderr {
			compare(t, tt.args+": stderr", stderr, part)
		}
		if len(tt.stderr) == 0 {
			compare(t, tt.args+": stderr", stderr, "")
		}
		golden(t, tt.file, stdout)
	}
}

func TestLitmusErrors(t *testing.T) {
	tests := []struct {
		args   string
		status int
		stderr string
	}{
		{"litmus", 2, "no file given"},
		{"litmus testdata/golden", 2, "=testdata/golden: there are no tests here\n  a test is a file *.litmus\n"},
		{"litmus none.litmus", 2, "=none.litmus: cannot be read: no such file or directory\n"},
		{"litmus -m none.cat " + litmusTests, 2, "=none.cat: cannot be read: no such file or directory\n"},
		{"litmus -e explicit -m testdata/coherence.cat " + litmusTests, 2, "explicit is not for the memory model testdata/coherence.cat; there are auto, bmc, graphs"},
		{"litmus --against none.jsonl " + litmusTests, 2, "=none.jsonl: cannot be read: no such file or directory\n"},
		{"litmus --against testdata/bad.imp " + litmusTests, 2, "testdata/bad.imp: line 1: "},
		{"litmus -e sat " + litmusTests, 2, "unknown engine"},
		{"check -m none.cat " + safe, 2, "=none.cat: cannot be read: no such file or directory\n"},
		{"check -D N=1 " + litmusTests + "/SB.litmus", 2, "a litmus test has no constants to define"},
		{"explain -m none.cat " + safe, 2, "=none.cat: cannot be read: no such file or directory\n"},
		{"explain " + safe, 2, "there is nothing to explain"},
		{"explain --graph x.png " + unsafe, 2, "--graph: want a file .svg or .dot"},
		{"models tso", 2, `unknown command "tso"; did you mean models show tso?`},
		{"models show tsx", 2, "unknown memory model \"tsx\"; did you mean tso?"},
		{"models check testdata/bad.imp", 2, "unknown memory model"},
		{"models show none.cat", 2, "=none.cat: cannot be read: no such file or directory\n"},
	}
	for _, tt := range tests {
		status, stdout, stderr := runReal(t, tt.args)
		if status != tt.status || stdout != "" {
			t.Errorf("%s: status %d, want %d; stdout %s", tt.args, status, tt.status, stdout)
		}
		compare(t, tt.args+": stderr", stderr, tt.stderr)
	}
}

// The other commands read litmus tests as well.
func TestLitmusElsewhere(t *testing.T) {
	for args, want := range map[string]string{
		"check " + litmusTests + "/SB.litmus":                      "reached  exists (0:rax=0 /\\ 1:rax=0)",
		"states " + litmusTests + "/SB.litmus":                     "States 4\n",
		"print " + litmusTests + "/SB.litmus":                      "store x <- 1",
		"models show sc":                                           "acyclic together(hb) as happens-before",
		"check -q -m sc " + litmusTests + "/SB.litmus":             "SAFE",
		"explain -q -m sc " + litmusTests + "/SB.litmus":           "FORBIDDEN  ",
		"check -q " + litmusTests + "/MP.litmus":                   "SAFE",
		"check -q -m pso " + litmusTests + "/MP.litmus":            "UNSAFE",
		"explain -q -m pso " + litmusTests + "/MP.litmus":          "ALLOWED",
		"litmus --timeout 1ms testdata/litmus-long.litmus":         "Incomplete: ",
		"litmus --timeout 1ms -o json testdata/litmus-long.litmus": `"verdict":"Unknown"`,
	} {
		_, stdout, stderr := runReal(t, args)
		compare(t, args, stdout, want)
		compare(t, args+": stderr", stderr, "")
	}
}

// Pictures lie where the tests lie in their directory.
func TestLitmusGraphs(t *testing.T) {
	dir := t.TempDir()
	runReal(t, "litmus -q --graph "+dir+" "+litmusTests)
	for _, name := range []string{"SB.svg", "SB.dot", "IRIW.svg", "more/SB+xchgs.svg", "more/SB+xchgs.dot"} {
		text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		if err != nil {
			t.Error(err)
			continue
		}
		want := map[string]string{".svg": "</svg>\n", ".dot": "}\n"}[filepath.Ext(name)]
		if !strings.HasSuffix(string(text), want) {
			t.Errorf("%s does not end in %q", name, want)
		}
	}
	path := filepath.Join(dir, "cycle.svg")
	if status, _, stderr := runReal(t, "explain -m sc --graph "+path+" "+litmusTests+"/SB.litmus"); status != 0 {
		t.Errorf("status %d: %s", status, stderr)
	}
	if text, err := os.ReadFile(path); err != nil || !strings.Contains(string(text), "forbidden under SC by happens-before") {
		t.Errorf("%v: %s", err, text)
	}
}

// All tests of the corpus end as herd7 says, whatever the engine.
func TestLitmusCorpus(t *testing.T) {
	corpus := os.Getenv("FENCEPOST_CORPUS")
	if corpus == "" {
		t.Skip("FENCEPOST_CORPUS does not name a directory with litmus-x86 in it")
	}
	dir := filepath.Join(corpus, "litmus-x86")
	engines := []string{"explicit", "bmc", "graphs"}
	if testing.Short() {
		engines = engines[:1]
	}
	for _, engine := range engines {
		for _, model := range []string{"sc", "tso"} {
			var out, stderr bytes.Buffer
			start := time.Now()
			args := []string{"litmus", "-m", model, "-e", engine, "--against", filepath.Join(dir, "expected.jsonl"), dir}
			if status := run(context.Background(), args, strings.NewReader(""), &out, &stderr); status != 0 {
				t.Errorf("%s, %s: status %d\n%s", engine, model, status, stderr.String())
			}
			compare(t, engine+", "+model, out.String(), "Tests 1410: ")
			compare(t, engine+", "+model, out.String(), ", 0 different from what is expected;")
			t.Logf("%s, %s: %v", engine, model, time.Since(start))
		}
	}
}

func BenchmarkLitmusCorpus(b *testing.B) {
	corpus := os.Getenv("FENCEPOST_CORPUS")
	if corpus == "" {
		b.Skip("FENCEPOST_CORPUS does not name a directory with litmus-x86 in it")
	}
	for _, engine := range []string{"explicit", "bmc", "graphs"} {
		for _, model := range []string{"sc", "tso"} {
			b.Run(engine+"/"+model, func(b *testing.B) {
				for range b.N {
					var out, stderr bytes.Buffer
					args := []string{"litmus", "-q", "-m", model, "-e", engine, filepath.Join(corpus, "litmus-x86")}
					if status := run(context.Background(), args, strings.NewReader(""), &out, &stderr); status != 0 {
						b.Fatal(stderr.String())
					}
				}
				b.ReportMetric(1410*float64(b.N)/b.Elapsed().Seconds(), "tests/s")
			})
		}
	}
}

// Every object of a JSON output stands on a line of its own.
func TestLitmusJSON(t *testing.T) {
	_, stdout, _ := runReal(t, "litmus -o json "+litmusTests)
	lines := strings.Split(strings.TrimSuffix(stdout, "\n"), "\n")
	if len(lines) != 6 {
		t.Fatalf("%d lines", len(lines))
	}
	var files []string
	for _, line := range lines {
		var o struct{ File, Verdict string }
		if err := json.Unmarshal([]byte(line), &o); err != nil || o.Verdict == "" {
			t.Errorf("%v: %s", err, line)
		}
		files = append(files, filepath.Base(o.File))
	}
	if got := strings.Join(files, " "); got != "IRIW.litmus MP.litmus SB.litmus SB+xchgs.litmus syntax.litmus unsupported.litmus" {
		t.Errorf("got %s", got)
	}
}
