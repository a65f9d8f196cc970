//go:build unix

package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestInterruptedReading: the first interrupt ends a command that waits for what it is to
// read: from standard input, or from a pipe that nobody writes to, or nobody to its end.
func TestInterruptedReading(t *testing.T) {
	dir := t.TempDir()
	pipe := func(name string) string {
		path := filepath.Join(dir, name)
		if err := syscall.Mkfifo(path, 0o600); err != nil {
			t.Skip(err)
		}
		return path
	}
	imp, cat, cert, litmus, half := pipe("p.imp"), pipe("m.cat"), pipe("c.cert"), pipe("t.litmus"), pipe("h.imp")
	// interrupt is false where the process had not begun to listen.
	interrupt := func(args string, wait time.Duration) bool {
		x := startReading(t, args)
		if strings.HasSuffix(args, half) {
			w, err := os.OpenFile(half, os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close()
			io.WriteString(w, "program Half\n")
		}
		time.Sleep(wait)
		start := time.Now()
		x.cmd.Process.Signal(os.Interrupt)
		got, out := x.end(10 * time.Second)
		// Half a second is what it may take; the machine may be busy.
		if d := time.Since(start); d > 2*time.Second {
			t.Errorf("%s: %v", args, d)
		} else if d > 500*time.Millisecond {
			t.Logf("%s: %v", args, d)
		}
		if status, ok := x.cmd.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() && status.Signal() == syscall.SIGINT {
			return false
		}
		if got != exitUnknown || !strings.Contains(out, "stopped by an interrupt") {
			t.Errorf("%s: status %d\n%s", args, got, out)
		}
		return true
	}
	for _, args := range []string{
		"check -", "check -o json " + imp, "check " + half, "check -m " + cat + " " + safe, "states " + imp, "robust -", "fences -", "explore -", "explain -", "print -",
		"convert --to promela " + imp, "compare " + imp, "models check " + cat, "certify " + cert + " " + safe, "certify " + cert + " -", "litmus " + litmus,
		"litmus --against " + imp + " testdata/litmus",
	} {
		// It takes far less until the process listens, unless the machine is busy.
		if !interrupt(args, 300*time.Millisecond) && !interrupt(args, 5*time.Second) {
			t.Errorf("%s: it is ended by the signal", args)
		}
	}
}

// TestLimitedReading: the time limit is one for the reading, too, and nothing is wrong with a program that was not read.
func TestLimitedReading(t *testing.T) {
	for _, args := range []string{
		"check", "robust", "states", "explain", "explore", "fences", "check -o json", "robust -o json", "states -o json", "explain -o json",
		"explore -o json", "fences -o json", "check -o sarif", "check -o junit", "check -o github",
	} {
		got, out := startReading(t, args+" --timeout 100ms -").end(time.Minute)
		if got != exitUnknown || !strings.Contains(out, "stopped by the time limit while it was read") || strings.Contains(out, "ERROR") {
			t.Errorf("%s: status %d\n%s", args, got, out)
		}
		if strings.HasSuffix(args, "json") && !strings.Contains(out, `"verdict":"UNKNOWN","error":"stopped by the time limit while it was read","reason":"stopped by`) {
			t.Errorf("%s:\n%s", args, out)
		}
	}
}

// A reading is a command that waits for what it is to read from standard input.
type reading struct {
	cmd   *exec.Cmd
	stdin io.Closer
	out   bytes.Buffer
}

func startReading(t *testing.T, args string) *reading {
	t.Helper()
	x := &reading{cmd: command(t, strings.Fields(args)...)}
	var err error
	if x.stdin, err = x.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	x.cmd.Stdout, x.cmd.Stderr = &x.out, &x.out
	if err := x.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return x
}

// end waits for the end, which comes by force after a while.
func (x *reading) end(limit time.Duration) (status int, out string) {
	killed := time.AfterFunc(limit, func() { x.cmd.Process.Kill() })
	x.cmd.Wait()
	killed.Stop()
	x.stdin.Close()
	return x.cmd.ProcessState.ExitCode(), x.out.String()
}
