package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/fencepost-verifier/fencepost/internal/leaks"
)

// TestMain lets the test binary be the command, for what can only be seen from
// outside of a process.
func TestMain(m *testing.M) {
	if os.Getenv("FENCEPOST_TEST_MAIN") != "" {
		main()
	}
	if file := os.Getenv("FENCEPOST_TEST_SIZE"); file != "" {
		os.Exit(measured(file))
	}
	os.Exit(leaks.Run(m))
}

// TestReal runs the commands with the engines behind them.
func TestReal(t *testing.T) {
	tests := []struct {
		args   string
		status int
		stdout string // as in TestRun
		stderr string
	}{
		{"check " + unsafe, 1, "UNSAFE  testdata/store-buffer.imp  under TSO", ""},
		{"check -e explicit " + unsafe, 1, "\n  in the end  P0.r=0, P1.r=0\n", ""},
		{"check -e bmc " + unsafe, 1, "\n  in the end  P0.r=0, P1.r=0\n", ""},
		{"check -m sc " + unsafe, 0, "SAFE  testdata/store-buffer.imp  under SC", ""},
		{"check -m sc -e bmc " + unsafe, 0, "complete unrolling, unsatisfiable", ""},
		{"check -q -D N=3 " + safe, 0, "SAFE", ""},
		{"check -q --search dfs --por none -e explicit " + safe, 0, "SAFE", ""},
		{"check -e bmc --unroll 3 testdata/endless.imp", 3, "no violation up to 3 unrollings", ""},
		{"check -o json " + unsafe + " " + fault, 2, `"verdict":"UNSAFE"`, fault + ":6:10: division by zero can be reached\n"},
		{"check " + fault, 2, "", "=testdata/fault.imp:6:10: division by zero can be reached\n    r := 7 / x\n           ^\n"},
		{"check -e explicit " + fault, 2, "", "=testdata/fault.imp:6:10: division by zero can be reached\n    r := 7 / x\n           ^\n"},
		{"check -e bmc " + fault, 2, "", "=testdata/fault.imp:6:10: division by zero can be reached\n    r := 7 / x\n           ^\n"},
		{"states " + fault, 2, "", "=testdata/fault.imp:6:10: division by zero can be reached\n    r := 7 / x\n           ^\n"},
		{"states " + unsafe, 0, "=States 4\nP0.r=0; P1.r=0; x=1; y=1;\nP0.r=0; P1.r=1; x=1; y=1;\nP0.r=1; P1.r=0; x=1; y=1;\nP0.r=1; P1.r=1; x=1; y=1;\n", ""},
		{"states -e bmc -m sc " + unsafe, 0, "=States 3\nP0.r=0; P1.r=1; x=1; y=1;\nP0.r=1; P1.r=0; x=1; y=1;\nP0.r=1; P1.r=1; x=1; y=1;\n", ""},
		{"states " + automata, 0, "=States 4\nP0.r=0; P1.r=0; [0]=1; [1]=1;\nP0.r=0; P1.r=1; [0]=1; [1]=1;\nP0.r=1; P1.r=0; [0]=1; [1]=1;\nP0.r=1; P1.r=1; [0]=1; [1]=1;\n", ""},
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

// A context that has ended before the work begins is no reason for an error.
func TestRealStopped(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, args := range []string{"check", "check -e explicit", "check -e bmc", "states", "states -e bmc"} {
		var out, stderr bytes.Buffer
		file := "testdata/endless.imp"
		if strings.HasPrefix(args, "states") { // of which that has none
			file = "testdata/store-buffer.imp"
		}
		status := run(ctx, append(strings.Fields(args), file), strings.NewReader(""), &out, &stderr)
		if status != exitUnknown || stderr.Len() > 0 {
			t.Errorf("%s: status %d\n%s%s", args, status, out.String(), stderr.String())
		}
	}
}

func TestInterrupt(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there is no way to send an interrupt")
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, "check", "-e", "bmc", "testdata/endless.imp")
	cmd.Env = append(os.Environ(), "FENCEPOST_TEST_MAIN=1")
	var out, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	// The process must have begun to listen; that takes far less.
	time.Sleep(time.Second)
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	err = cmd.Wait()
	if got := cmd.ProcessState.ExitCode(); got != exitUnknown {
		t.Errorf("%v, want status %d", err, exitUnknown)
	}
	compare(t, "stdout", out.String(), "UNKNOWN  testdata/endless.imp")
	compare(t, "stdout", out.String(), "no violation up to ")
	compare(t, "stderr", stderr.String(), "")
}
