package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/lang"
)

// TestRobustAndFences runs the commands with the library behind them.
func TestRobustAndFences(t *testing.T) {
	const (
		dekker   = "../../examples/dekker.imp"
		spinlock = "../../examples/spinlock.imp"
		litmus   = "testdata/litmus/SB.litmus"
	)
	tests := []struct {
		args   string
		status int
		stdout string // as in TestRun
		stderr string
	}{
		{"robust " + dekker, 1, "NOT ROBUST  ../../examples/dekker.imp  under TSO (attacks, ", ""},
		{"robust " + dekker, 1, "-fr->", ""},
		{"robust -q " + spinlock, 0, "ROBUST  ", ""},
		{"robust -q " + dekker + " " + spinlock, 1, "\nROBUST  ", ""},
		{"robust -q " + bad + " " + spinlock, 2, "ROBUST  ", "bad.imp:4:8"},
		{"robust " + automata, 1, "NOT ROBUST", ""},
		{"robust -o json " + litmus, 1, `"verdict":"NOT ROBUST"`, ""},
		{"robust --property trf " + litmus, 1, "NOT TRIANGULAR-RACE FREE", ""},
		{"robust --property trf " + spinlock, 0, "TRIANGULAR-RACE FREE", ""},
		{"robust --property sc " + litmus, 2, "", `--property: unknown property "sc" (known: robustness, trf)`},
		{"robust --graph x.png " + dekker, 2, "", `--graph: want a file .svg or .dot, not "x.png"`},
		{"robust --graph x.svg " + dekker + " " + dekker, 2, "", "--graph: one picture for 2 files"},
		{"robust testdata/fault-race.imp", 2, "", "testdata/fault-race.imp:6:26: division by zero can be reached\n"},
		{"robust -D N=3 " + safe, 0, "ROBUST", ""},

		{"fences " + dekker, 0, "4 FENCES  ../../examples/dekker.imp  for safety", ""},
		{"fences --for robustness -q " + dekker, 0, "6 FENCES  ", ""},
		{"fences --for trf -q " + spinlock, 0, "NO FENCE NEEDED", ""},
		{"fences --means xchg -q " + dekker, 0, "EXCHANGES", ""},
		{"fences -q " + automata, 0, "2 FENCES  testdata/store-buffer.txt  for robustness", ""},
		{"fences " + litmus, 0, "\n+ mfence        | mfence        ;\n", ""},
		{"fences --thread-cost P0=3 -o json " + litmus, 0, `"cost":4,"verified":true`, ""},
		{"fences --redundant " + dekker, 1, "NOT ENOUGH FENCES", ""},
		{"fences ../../examples/thesis/fig4.2.imp", 1, "NO FENCES HELP", ""},
		{"fences -o json ../../examples/thesis/fig4.2.imp", 1, `"violation":"forbid success = 1`, ""},
		{"fences " + bad, 2, "", "bad.imp:4:8"},
		{"fences --for safety " + fault, 2, "", "division by zero can be reached"},
		{"fences --write -", 2, "", "--write: standard input is no file to write to"},
		{"fences --thread-cost P0 " + dekker, 2, "", "--thread-cost: want NAME=N"},
		{"fences --timeout 0.000001 " + dekker, 3, "UNKNOWN", ""},
		{"fences --for peace " + dekker, 2, "", `--for: unknown goal "peace" (known: safety, robustness, trf`},
	}
	for _, tt := range tests {
		var out, stderr bytes.Buffer
		if got := run(context.Background(), strings.Fields(tt.args), strings.NewReader(""), &out, &stderr); got != tt.status {
			t.Errorf("%s: status %d, want %d", tt.args, got, tt.status)
		}
		compare(t, tt.args+": stdout", out.String(), tt.stdout)
		compare(t, tt.args+": stderr", stderr.String(), tt.stderr)
	}
}

func TestRobustGraph(t *testing.T) {
	for _, ext := range []string{".svg", ".dot"} {
		file := filepath.Join(t.TempDir(), "cycle"+ext)
		var out, stderr bytes.Buffer
		if got := run(context.Background(), []string{"robust", "-q", "--graph", file, "../../examples/dekker.imp"}, strings.NewReader(""), &out, &stderr); got != exitUnsafe {
			t.Errorf("status %d: %s", got, stderr.String())
		}
		if text, err := os.ReadFile(file); err != nil || !strings.Contains(string(text), "not robust against TSO") {
			t.Errorf("%v: %s", err, text)
		}
	}
}

// TestFencesWrite: --write changes the file, and then no fence is needed.
func TestFencesWrite(t *testing.T) {
	for _, from := range []string{"../../examples/dekker.imp", automata, "testdata/litmus/SB.litmus"} {
		src, err := lang.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(t.TempDir(), filepath.Base(from))
		if err := os.WriteFile(file, []byte(src.Text), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{" FENCES  ", "NO FENCE NEEDED  "} {
			var out, stderr bytes.Buffer
			if got := run(context.Background(), []string{"fences", "-q", "--write", file}, strings.NewReader(""), &out, &stderr); got != exitSafe {
				t.Errorf("%s: status %d: %s", from, got, stderr.String())
			}
			compare(t, from, out.String(), want)
		}
		if text, _ := os.ReadFile(file); string(text) == src.Text {
			t.Errorf("%s did not change", from)
		}
	}
}
