package main

import (
	"os"
	"strings"
	"testing"
)

func TestExamplesAndInit(t *testing.T) {
	t.Chdir(t.TempDir())
	_, out, _ := inShell(t, "examples")
	for _, want := range []string{"\ndekker.imp ", "Dekker's algorithm, the first solution of mutual exclusion for two processes.\n", "\nc/seqlock.c ", "litmus/SB.litmus",
		"\nautomata/store-buffer.asm ", "Store buffering, as automata: each"} {
		if !strings.Contains("\n"+out, want) {
			t.Errorf("%s\nwithout %q", out, want)
		}
	}
	if status, out, _ := inShell(t, "examples show examples/dekker.imp"); status != exitSafe || !strings.Contains(out, "program Dekker") {
		t.Error(status, out)
	}
	if status, out, _ := inShell(t, "examples copy dekker.imp c/seqlock.c"); status != exitSafe || out != "dekker.imp\nseqlock.c\n" {
		t.Error(status, out)
	}
	for args, want := range map[string]string{
		"examples copy SB.litmus":  "did you mean litmus/SB.litmus?",
		"examples show sb":         "did you mean litmus/SB.litmus?",
		"examples show dekker":     "did you mean dekker.imp?",
		"examples show deker.imp":  "there is no example deker.imp; did you mean dekker.imp?",
		"examples copy dekker.imp": "dekker.imp is there already",
		"examples shwo":            `unknown command "shwo"`,
	} {
		if status, _, stderr := inShell(t, args); status != exitInput || !strings.Contains(stderr, want) {
			t.Errorf("%s: %d %s", args, status, stderr)
		}
	}
	os.Remove("dekker.imp")
	os.Remove("seqlock.c")
	if status, out, stderr := inShell(t, "init"); status != exitSafe || out != "first.imp\nfencepost.yaml\n" {
		t.Error(status, out, stderr)
	}
	status, out, stderr := inShell(t, "check -q")
	if status != exitUnsafe || !strings.HasPrefix(out, "SAFE  first.imp  under SC") || !strings.Contains(out, "UNSAFE  first.imp  under TSO") {
		t.Error(status, out, stderr)
	}
	if _, out, _ := inShell(t, "fmt -l first.imp"); out != "" {
		t.Error("the first program is not laid out as usual")
	}
	if status, _, stderr := inShell(t, "init"); status != exitInput || !strings.Contains(stderr, "first.imp is there already") {
		t.Error(status, stderr)
	}
}

func TestDoctor(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a few seconds: every engine on two programs")
	}
	status, out, stderr := inShell(t, "doctor")
	if status != exitSafe || !strings.Contains(out, "\nengines    all answer as they should\n") || !strings.Contains(out, "\nsolvers    cdcl") {
		t.Errorf("%d\n%s%s", status, out, stderr)
	}
}
