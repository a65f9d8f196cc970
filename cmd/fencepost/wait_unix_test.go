//go:build unix

package main

import (
	"bytes"
	"io"
	"os"
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
		cmd := command(t, strings.Fields(args)...)
		stdin, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
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
		cmd.Process.Signal(os.Interrupt)
		killed := time.AfterFunc(10*time.Second, func() { cmd.Process.Kill() })
		cmd.Wait()
		killed.Stop()
		stdin.Close()
		// Half a second is what it may take; the machine may be busy.
		if d := time.Since(start); d > 2*time.Second {
			t.Errorf("%s: %v", args, d)
		} else if d > 500*time.Millisecond {
			t.Logf("%s: %v", args, d)
		}
		got := cmd.ProcessState.ExitCode()
		if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() && status.Signal() == syscall.SIGINT {
			return false
		}
		if got != exitUnknown || !strings.Contains(out.String(), "stopped by an interrupt") {
			t.Errorf("%s: status %d\n%s", args, got, out.String())
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

// TestLimitedReading: the time limit is one for the reading, too.
func TestLimitedReading(t *testing.T) {
	for _, args := range []string{"check --timeout 100ms -", "robust --timeout 100ms -", "states --timeout 100ms -", "explain --timeout 100ms -"} {
		cmd := command(t, strings.Fields(args)...)
		stdin, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		killed := time.AfterFunc(time.Minute, func() { cmd.Process.Kill() })
		cmd.Wait()
		killed.Stop()
		stdin.Close()
		if got := cmd.ProcessState.ExitCode(); got != exitUnknown || !strings.Contains(out.String(), "stopped by the time limit while it was read") {
			t.Errorf("%s: status %d\n%s", args, got, out.String())
		}
	}
}
