package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestEnvironment: what is around the command is not its defect. The status is 2, the message
// says what to do, and where the work was done its result is there.
func TestEnvironment(t *testing.T) {
	dir := t.TempDir()
	text, err := os.ReadFile(unsafe)
	if err != nil {
		t.Fatal(err)
	}
	mine := filepath.Join(dir, "mine.imp")
	locked := filepath.Join(dir, "locked", "locked.imp")
	os.Mkdir(filepath.Dir(locked), 0o777)
	for _, file := range []string{mine, locked} {
		if err := os.WriteFile(file, text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	os.Chmod(locked, 0o444)
	missing := filepath.Join(dir, "no", "x.svg")
	nonsense := filepath.Join(dir, "nonsense")
	os.WriteFile(nonsense, []byte("#!/bin/sh\necho s MAYBE\n"), 0o777)
	wrong := filepath.Join(dir, "wrong")
	os.WriteFile(wrong, []byte("#!/bin/sh\necho s SATISFIABLE\necho v 0\nexit 10\n"), 0o777)

	const make = "; make the directory "
	tests := []struct {
		args           string
		status         int
		stdout, stderr string
	}{
		{"robust --graph " + missing + " " + unsafe, 2, "", "--graph: cannot write " + missing + ": no such file or directory" + make},
		{"explain --graph " + missing + " " + unsafe, 2, "", make},
		{"check -e multiset --certificate " + missing + " " + safe, 2, "", "--certificate: cannot write " + missing},
		{"fences --write " + filepath.Join(dir, "no.imp"), 2, "", "no.imp: cannot be read: no such file"},
		{"check -e bmc --solver " + nonsense + " " + unsafe, 2, "", "the SAT solver " + nonsense + " failed: gave no answer; try another of cdcl, gini"},
		{"check -e bmc --solver " + wrong + " " + unsafe, 2, "", "the SAT solver " + wrong + " gave a wrong answer: "},
		{"fences --write " + mine, 0, "", ""},
	}
	if os.Getuid() != 0 { // who may write everywhere
		tests = append(tests, tests[0])
		last := &tests[len(tests)-1]
		last.args, last.stderr = "fences --write "+locked, "--write: cannot write "+locked+": permission denied; name a place"
	}
	if _, err := os.Stat("/dev/full"); err == nil {
		tests = append(tests, tests[0])
		last := &tests[len(tests)-1]
		full := filepath.Join(dir, "full.svg")
		os.Symlink("/dev/full", full)
		last.args, last.stdout, last.stderr = "robust --graph "+full+" "+unsafe, "NOT ROBUST", "no space left on device; free some space"
	}
	for _, tt := range tests {
		var stdout, stderr bytes.Buffer
		status := run(context.Background(), strings.Fields(tt.args), strings.NewReader(""), &stdout, &stderr)
		if status != tt.status || !strings.Contains(stdout.String(), tt.stdout) || !strings.Contains(stderr.String(), tt.stderr) {
			t.Errorf("%s: status %d\n%s%s", tt.args, status, stdout.String(), stderr.String())
		}
	}
	if now, err := os.ReadFile(mine); err != nil || !bytes.Contains(now, []byte("fence")) {
		t.Errorf("--write: %v\n%s", err, now)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".fencepost-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}
