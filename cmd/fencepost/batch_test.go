package main

import (
	"context"
	"encoding/json"
	"encoding/xml"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const (
	racyText = "program T\nvariables x, y\nprocess P local r begin x := 1; r := y end\nprocess Q local r begin y := 1; r := x end\nexists P.r = 0 & Q.r = 0\n"
	calmText = "program T variables x process P begin x := 1 end forbid x = 2"
)

// inFolder changes into a folder with these files, for the time of the test.
func inFolder(t *testing.T, files map[string]string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
}

func inShell(t *testing.T, args string) (status int, stdout, stderr string) {
	t.Helper()
	f := newFake("")
	f.library = everything
	status = f.run(context.Background(), strings.Fields(args))
	return status, f.out.String(), f.err.String()
}

var folder = map[string]string{
	"racy.imp": racyText, "a/calm.imp": calmText, "a/b/bad.imp": "program T process",
	".hidden/x.imp": racyText, "a/notes.txt": "no program",
}

// included are two programs that include a file, one of them from a folder that has to be named.
var included = map[string]string{
	"p/uses.imp": "program Uses\ninclude \"lib/wait.imp\"\nprocess P begin x := 1; wait() end process Q begin y := 1; wait() end\nexists seen = 2\n",
	"p/lib/wait.imp": "variables x, y, seen // of both\nprocedure wait() local r begin\n  r := x + y;\n" +
		"  if r = 1 then fetch_add(seen, 1) fi\nend\n",
	"p/q/other.imp": "program Other include \"wait.imp\" process P begin wait() end forbid seen = 1",
}

// TestInclude: what is included is found, named, kept and brought along.
func TestInclude(t *testing.T) {
	inFolder(t, included)
	for _, tt := range []struct {
		args   string
		status int
		want   string // in the output
	}{
		{"check p/uses.imp", exitUnsafe, "wait.imp:3"},
		{"check -q p/...", exitInput, "p/q/other.imp:1:23: cannot include \"wait.imp\": there is no such file"},
		{"check -q -I p/lib p/...", exitUnsafe, "SAFE  p/q/other.imp"},
		{"check -q p/lib/wait.imp", exitInput, "this may be a file that programs include"},
		{"check -q p/lib/...", exitInput, "there are no programs"},
		{"check -o json p/uses.imp", exitUnsafe, `"file":"p/lib/wait.imp"`},
		{"check -o sarif p/uses.imp", exitUnsafe, `"uri":"p/lib/wait.imp"`},
		{"fences p/uses.imp", exitSafe, "p/uses.imp"},
		{"fmt p/lib/wait.imp", exitSafe, "  r := x + y;"},
		{"fmt p/q/other.imp", exitInput, "there is no such file"},
		{"fmt -I p/lib p/q/other.imp", exitSafe, "program Other"},
	} {
		status, out, stderr := inShell(t, tt.args)
		if all := filepath.ToSlash(out + stderr); status != tt.status || !strings.Contains(all, tt.want) {
			t.Errorf("%s: status %d\n%s", tt.args, status, all)
		}
	}
	inShell(t, "check --html page.html p/uses.imp")
	if page, err := os.ReadFile("page.html"); err != nil || !strings.Contains(string(page), `"included":[{"name":"p/lib/wait.imp"`) {
		t.Error("the page does not show the file")
	}
	// A change of the included file is a change of the program.
	_, first, _ := inShell(t, "check -q --cache .c p/uses.imp")
	if err := os.WriteFile("p/lib/wait.imp", []byte(strings.Replace(included["p/lib/wait.imp"], "r := x", "fence; r := x", 1)), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, again, _ := inShell(t, "check -q --cache .c p/uses.imp"); !strings.HasPrefix(first, "UNSAFE") || !strings.HasPrefix(again, "SAFE") {
		t.Errorf("%s and then %s", first, again)
	}
}

func TestEverywhere(t *testing.T) {
	inFolder(t, folder)
	status, out, stderr := inShell(t, "check -q ./...")
	if status != exitInput || strings.Count(out, "\n") != 2 || !strings.Contains(out, "UNSAFE  racy.imp") || !strings.Contains(out, "SAFE  "+filepath.Join("a", "calm.imp")) {
		t.Errorf("status %d\n%s", status, out)
	}
	if !strings.Contains(stderr, "bad.imp:1:") || strings.Contains(stderr, "hidden") {
		t.Error(stderr)
	}
	if status, _, stderr := inShell(t, "check a/b/c/..."); status != exitInput || !strings.Contains(stderr, "cannot read the folder") {
		t.Error(status, stderr)
	}
	if status, _, stderr := inShell(t, "check .hidden/../a/..."); status != exitInput || strings.Contains(stderr, "no programs") {
		t.Error(status, stderr)
	}
}

// TestDocuments: one document for all files, also for those that cannot be read.
func TestDocuments(t *testing.T) {
	inFolder(t, folder)
	_, out, _ := inShell(t, "check -o sarif ./...")
	var log struct {
		Runs []struct {
			Results []struct{ Kind, RuleID string }
		}
	}
	if err := json.Unmarshal([]byte(out), &log); err != nil || len(log.Runs) != 1 || len(log.Runs[0].Results) != 3 {
		t.Errorf("%v\n%s", err, out)
	} else if got := log.Runs[0].Results; got[0].RuleID != "fencepost/input" || got[1].Kind != "pass" || got[2].Kind != "fail" {
		t.Error(got)
	}
	_, out, _ = inShell(t, "check -o junit ./...")
	var suites struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
		Errors   int `xml:"errors,attr"`
		Suite    struct {
			Cases []struct {
				Class   string  `xml:"classname,attr"`
				Failure *string `xml:"failure"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	if err := xml.Unmarshal([]byte(out), &suites); err != nil || suites.Tests != 3 || suites.Failures != 1 || suites.Errors != 1 || len(suites.Suite.Cases) != 3 {
		t.Errorf("%v %+v\n%s", err, suites, out)
	} else if c := suites.Suite.Cases[2]; c.Class != "racy.imp" || c.Failure == nil || !strings.Contains(*c.Failure, "x := 1 (buffered)") {
		t.Errorf("%+v", c)
	}
	_, out, _ = inShell(t, "check -o github ./...")
	for _, want := range []string{
		"::error file=a/b/bad.imp,line=1,col=18,title=cannot be checked::expected the name of the process, found the end of the file\n",
		"SAFE a/calm.imp under TSO: ", "::error file=racy.imp,line=5,col=1,title=UNSAFE under TSO::exists P.r = 0 & Q.r = 0 (line 5)%0A1. P, line 3: x := 1 (buffered)%0A",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("%s\nwithout\n%s", out, want)
		}
	}
}

// TestFixes: a fix, when it is applied, makes the program safe.
func TestFixes(t *testing.T) {
	inFolder(t, folder)
	type region struct{ StartLine, StartColumn, EndLine, EndColumn int }
	var log struct {
		Runs []struct {
			Results []struct {
				Kind  string
				Fixes []struct {
					ArtifactChanges []struct {
						ArtifactLocation struct{ URI string }
						Replacements     []struct {
							DeletedRegion   region
							InsertedContent struct{ Text string }
						}
					}
				}
			}
		}
	}
	_, out, stderr := inShell(t, "check -o sarif --fixes racy.imp a/calm.imp")
	if err := json.Unmarshal([]byte(out), &log); err != nil || len(log.Runs[0].Results) != 2 || len(log.Runs[0].Results[0].Fixes) != 1 || len(log.Runs[0].Results[1].Fixes) != 0 {
		t.Fatalf("%v\n%s%s", err, out, stderr)
	}
	change := log.Runs[0].Results[0].Fixes[0].ArtifactChanges[0]
	text := strings.SplitAfter(racyText, "\n")
	offset := func(line, column int) int { return len(strings.Join(text[:line-1], "")) + column - 1 }
	fixed := racyText
	for i := len(change.Replacements) - 1; i >= 0; i-- {
		r := change.Replacements[i]
		d := r.DeletedRegion
		fixed = fixed[:offset(d.StartLine, d.StartColumn)] + r.InsertedContent.Text + fixed[offset(d.EndLine, d.EndColumn):]
	}
	if err := os.WriteFile(change.ArtifactLocation.URI, []byte(fixed), 0o666); err != nil {
		t.Fatal(err)
	}
	if status, out, stderr := inShell(t, "check racy.imp"); status != exitSafe {
		t.Errorf("%s%s\n%s", out, stderr, fixed)
	}
	if status, _, stderr := inShell(t, "check --fixes racy.imp"); status != exitInput || !strings.Contains(stderr, "-o sarif") {
		t.Error(stderr)
	}
}

// TestCache: what was decided is not decided again, unless something has changed.
func TestCache(t *testing.T) {
	inFolder(t, folder)
	_, first, _ := inShell(t, "check --cache .c racy.imp a/calm.imp")
	kept, _ := filepath.Glob(".c/*/*.json")
	if len(kept) != 2 {
		t.Fatal(kept)
	}
	// Only who takes it from there finds this.
	for _, file := range kept {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(strings.Replace(string(b), "under TSO", "under kept TSO", 1)), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	status, again, _ := inShell(t, "check --cache .c racy.imp a/calm.imp")
	if status != exitUnsafe || strings.Count(again, "under kept TSO") != 2 || strings.ReplaceAll(again, "kept ", "") != first {
		t.Errorf("status %d\n%s\nand\n%s", status, again, first)
	}
	for _, args := range []string{"check --cache .c -m sc racy.imp", "check --cache .c -q racy.imp", "check --cache .c -o json racy.imp", "check --cache .c -p deadlock racy.imp"} {
		if _, out, _ := inShell(t, args); strings.Contains(out, "kept") || out == "" {
			t.Errorf("%s\n%s", args, out)
		}
	}
	if err := os.WriteFile("racy.imp", []byte(strings.Replace(racyText, "r := y", "fence; r := y", 1)), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, out, _ := inShell(t, "check --cache .c racy.imp"); strings.Contains(out, "kept") {
		t.Error(out)
	}
	for _, broken := range []string{"{", "", "null", `{"verdict":"UNSAFE"}`} {
		for _, file := range kept {
			if err := os.WriteFile(file, []byte(broken), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if status, out, _ := inShell(t, "check --cache .c a/calm.imp"); status != exitSafe || !strings.Contains(out, "SAFE") || strings.Contains(out, "kept") {
			t.Errorf("a broken entry %s: %d\n%s", broken, status, out)
		}
	}
	if status, _, stderr := inShell(t, "check --cache .c --graph x.svg racy.imp"); status != exitInput || !strings.Contains(stderr, "--cache keeps answers only") {
		t.Error(status, stderr)
	}
}

// TestCacheForged: a run that is none shows nothing, whatever a file of the cache says.
func TestCacheForged(t *testing.T) {
	inFolder(t, folder)
	racy := func() (file string, entry map[string]any) {
		t.Helper()
		os.RemoveAll(".c")
		inShell(t, "check --cache .c racy.imp")
		kept, _ := filepath.Glob(".c/*/*.json")
		if len(kept) != 1 {
			t.Fatal(kept)
		}
		b, err := os.ReadFile(kept[0])
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(b, &entry); err != nil {
			t.Fatal(err)
		}
		entry["text"] = "UNSAFE forged\n"
		return kept[0], entry
	}
	for name, forge := range map[string]func(map[string]any){
		"as it was":   func(map[string]any) {},
		"without one": func(e map[string]any) { delete(e, "run") },
		"cut off":     func(e map[string]any) { e["run"] = strings.Replace(e["run"].(string), `"edge":0`, `"edge":1`, 1) },
		"of SC": func(e map[string]any) {
			e["run"] = strings.Replace(e["run"].(string), `"model":"tso"`, `"model":"sc"`, 1)
		},
		"of another": func(e map[string]any) {
			e["run"] = strings.Replace(e["run"].(string), `"program":"`, `"program":"0`, 1)
		},
	} {
		file, entry := racy()
		forge(entry)
		b, err := json.Marshal(entry)
		if err == nil {
			err = os.WriteFile(file, b, 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
		status, out, _ := inShell(t, "check --cache .c racy.imp")
		if believed := strings.Contains(out, "forged"); believed != (name == "as it was") || status != exitUnsafe {
			t.Errorf("a run %s: status %d\n%s", name, status, out)
		}
	}
	// The true run of one program, in the place of the answer about another.
	file, entry := racy()
	b, _ := json.Marshal(entry)
	os.Remove(file)
	inShell(t, "check --cache .c a/calm.imp")
	kept, _ := filepath.Glob(".c/*/*.json")
	os.WriteFile(kept[0], b, 0o666)
	if status, out, _ := inShell(t, "check --cache .c a/calm.imp"); status != exitSafe || strings.Contains(out, "forged") {
		t.Errorf("status %d\n%s", status, out)
	}
}

func TestConfig(t *testing.T) {
	files := map[string]string{"fencepost.yaml": `
checks:
  - files: [racy.imp, a/c*.imp]
    model: [sc, tso]
    timeout: 20s
  - files: a/n.imp
    define: {N: 3, M: 1}
    property: stated
`, "a/n.imp": "program T const N = 1, M = 2 variables x process P begin x := N - M end forbid x = 2"}
	for name, text := range folder {
		files[name] = text
	}
	inFolder(t, files)
	status, out, stderr := inShell(t, "check -q")
	want := []string{"SAFE  racy.imp  under SC", "SAFE  a/calm.imp  under SC", "UNSAFE  racy.imp  under TSO", "SAFE  a/calm.imp  under TSO", "UNSAFE  a/n.imp  under TSO"}
	lines := strings.Split(strings.TrimSpace(filepath.ToSlash(out)), "\n")
	if status != exitUnsafe || len(lines) != len(want) || stderr != "" {
		t.Fatalf("status %d\n%s%s", status, out, stderr)
	}
	for i := range want {
		if !strings.HasPrefix(lines[i], want[i]) {
			t.Errorf("%s, want %s", lines[i], want[i])
		}
	}
	_, out, _ = inShell(t, "check -o junit")
	if strings.Count(out, "<testsuites") != 1 || strings.Count(out, "<testcase") != 5 {
		t.Error(out)
	}
	for _, tt := range [][2]string{
		{"checks:\n  - files: racy.imp\n    modle: sc\n", `b.yaml: check 1: line 3: "modle" is not a setting of check; did you mean model?`},
		{"checks:\n  - files: racy.imp\n    model: [sc, scx]\n", `b.yaml:2: --model: unknown memory model "scx"; did you mean sc?`},
		{"checks:\n  - files: nothing.imp\n", "b.yaml: check 1: files: there is no nothing.imp"},
		{"checks:\n  - model: sc\n", "b.yaml: check 1: files are missing"},
		{"checks:\n  - files: {a: 1}\n", "line 2: files: want a word or a list of words"},
		{"checks: 3\n", "line 1: cannot unmarshal"},
		{"check: []\n", `b.yaml: line 1: "check" is not known here; did you mean checks?`},
		{"checks: [{files: racy.imp}]\n---\nchecks: [{files: racy.imp}]\n", "b.yaml: line 2: a second document"},
		{"checks:\n  - files: racy.imp\n    output: json\n", "line 3: output holds for all checks: say --output on the command line"},
		{"checks:\n  - files: a/n.imp\n    define: {N: [1, 2]}\n", "line 3: define: want one word for N"},
		{"checks:\n  - files: racy.imp\n    save-run: /tmp/run.json\n", "b.yaml:2: save-run says what is written: say --save-run on the command line"},
		{"checks:\n  - files: racy.imp\n    certificate: [c]\n", "certificate says what is written"},
		{"checks:\n  - files: racy.imp\n    model: [" + strings.Repeat("sc, ", 101) + "tso]\n    engine: [" + strings.Repeat("bmc, ", 101) + "auto]\n", "line 3: model: with the others that is more than 10000 checks"},
		{"", "there are no checks"},
		{"checks:\n - files: [a\n", "b.yaml: line 1: did not find expected ',' or ']'"},
	} {
		if err := os.WriteFile("b.yaml", []byte(tt[0]), 0o666); err != nil {
			t.Fatal(err)
		}
		if status, _, stderr := inShell(t, "check --config b.yaml"); status != exitInput || !strings.Contains(filepath.ToSlash(stderr), tt[1]) {
			t.Errorf("%q: status %d, %s", tt[0], status, stderr)
		}
	}
	named := "checks:\n  - files: &all [&one racy.imp]\n    model: &m sc\n  - files: *all\n    model: [*m]\n  - files: *one\n    model: *m\n"
	if err := os.WriteFile("b.yaml", []byte(named), 0o666); err != nil {
		t.Fatal(err)
	}
	status, out, stderr = inShell(t, "check -q --config b.yaml --timeout 0 --memory-limit 0")
	if status != exitSafe || strings.Count(out, "SAFE  racy.imp  under SC") != 3 || stderr != "" {
		t.Errorf("names, and no limits: status %d\n%s%s", status, out, stderr)
	}
	if status, _, stderr := inShell(t, "check --config fencepost.yaml racy.imp"); status != exitInput || !strings.Contains(stderr, "the files stand there") {
		t.Error(status, stderr)
	}
}
