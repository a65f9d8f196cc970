package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestHTML: every command that has evidence writes it as a page.
func TestHTML(t *testing.T) {
	tests := []struct {
		args string
		want string // in the page
	}{
		{"check ../../examples/dekker.imp", `"parts":4`},
		{"check ../../examples/dekker.imp ../../examples/spinlock.imp", `"word":"SAFE"`},
		{"check -m rc11 ../../examples/c/dekker.c", `"relation":"fr"`},
		{"explain -m sc ../../examples/litmus/SB.litmus", `"word":"FORBIDDEN"`},
		{"explore ../../examples/dekker.imp", `"transitions"`},
		{"robust ../../examples/peterson.imp", `"cycle":true`},
		{"fences ../../examples/dekker.imp", `"without":"`},
		{"fences ../../examples/litmus/IRIW+lwsyncs.litmus", `"under":"for safety under POWER"`},
		{"check ../../examples/chase-lev.imp", `"ends":[`},
		{"compare -m sc -e explicit ../../examples/litmus/SB.litmus", `"agreement"`},
		{"litmus ../../examples/litmus", `"title":"Final states"`},
	}
	for _, test := range tests {
		t.Run(test.args, func(t *testing.T) {
			page := filepath.Join(t.TempDir(), "page.html")
			args := append(strings.Fields(test.args), "--html", page)
			if _, _, stderr := runReal(t, strings.Join(args, " ")); stderr != "" {
				t.Fatal(stderr)
			}
			text, err := os.ReadFile(page)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(text), test.want) {
				t.Errorf("no %s in the page", test.want)
			}
		})
	}
	run, page := filepath.Join(t.TempDir(), "run.json"), filepath.Join(t.TempDir(), "page.html")
	runReal(t, "check --save-run "+run+" ../../examples/dekker.imp")
	if status, _, stderr := runReal(t, "replay --html "+page+" ../../examples/dekker.imp "+run); status != exitSafe {
		t.Errorf("replay: status %d, %s", status, stderr)
	}
	if text, err := os.ReadFile(page); err != nil || !strings.Contains(string(text), `"parts":4`) {
		t.Errorf("replay: %v, or no run in its page", err)
	}
	for _, args := range [][]string{
		{"check", "--html", "page.txt", "x.imp"},
		{"replay", "--html", "page.html", "-i", "x.imp", "x.json"},
		{"replay", "--html", "page.html", "--to", "litmus", "x.imp", "x.json"},
		{"check", "--html", filepath.Join(t.TempDir(), "no", "page.html"), "x.imp"},
		{"check", "--graph", "a.svg", "x.imp", "y.imp"},
		{"check", "--graph", "a.png", "x.imp"},
	} {
		if status, _, stderr := runReal(t, strings.Join(args, " ")); status != exitInput || !strings.Contains(stderr, args[1]) {
			t.Errorf("%v: status %d, %s", args, status, stderr)
		}
	}
}

// TestCheckGraph: a counterexample is drawn, and one of graphs alone as well.
func TestCheckGraph(t *testing.T) {
	for _, args := range []string{"../../examples/chase-lev.imp", "-m rc11 ../../examples/c/dekker.c"} {
		file := filepath.Join(t.TempDir(), "x.svg")
		if status, _, stderr := runReal(t, "check --graph "+file+" "+args); status != exitUnsafe {
			t.Fatalf("status %d, %s", status, stderr)
		}
		text, err := os.ReadFile(file)
		if err != nil || !strings.Contains(string(text), "<svg") || !regexp.MustCompile(`>line \d+`).Match(text) {
			t.Errorf("%s: %v, %.300s", args, err, text)
		}
	}
}

// TestPicture: the picture of the README is what the command draws. FENCEPOST_UPDATE=1 draws it
// anew.
func TestPicture(t *testing.T) {
	const picture = "../../docs/dekker.svg"
	file := filepath.Join(t.TempDir(), "dekker.svg")
	if status, _, stderr := runReal(t, "check --graph "+file+" ../../examples/dekker.imp"); status != exitUnsafe {
		t.Fatalf("status %d, %s", status, stderr)
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if os.Getenv("FENCEPOST_UPDATE") != "" {
		if err := os.WriteFile(picture, got, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(picture)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Error("the picture in docs/ is another one")
	}
}
