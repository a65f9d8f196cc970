package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFmt(t *testing.T) {
	const raw, laid = "program T variables x process P begin x:=1 end", "program T variables x process P begin x := 1 end\n"
	dir := t.TempDir()
	file := filepath.Join(dir, "t.imp")
	if err := os.WriteFile(file, []byte(raw), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		args, stdin    string
		status         int
		stdout, stderr string
	}{
		{"fmt -", raw, 0, "=" + laid, ""},
		{"fmt " + file, "", 0, "=" + laid, ""},
		{"fmt -l " + file, "", 1, "=" + file + "\n", ""},
		{"fmt -w " + file, "", 0, "", ""},
		{"fmt -l " + file, "", 0, "", ""},
		{"fmt -w -", raw, 2, "", "--write is for files"},
		{"fmt -w -l " + file, "", 2, "", "exclude each other"},
		{"fmt -", "program T process", 2, "", "expected the name of the process"},
		{"fmt ../../examples/litmus/SB.litmus", "", 2, "", "there is no layout for litmus tests"},
	} {
		f := newFake(tt.stdin)
		if got := f.run(context.Background(), strings.Fields(tt.args)); got != tt.status {
			t.Errorf("%s: status %d, want %d", tt.args, got, tt.status)
		}
		compare(t, tt.args+": stdout", f.out.String(), tt.stdout)
		compare(t, tt.args+": stderr", f.err.String(), tt.stderr)
	}
}
