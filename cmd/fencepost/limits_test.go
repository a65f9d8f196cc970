package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
)

// command is the command as a process of its own.
func command(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), "FENCEPOST_TEST_MAIN=1")
	return cmd
}

// measured runs the command with the arguments of this process, writes into file how much
// memory it had at most, and gives its status. A process begins with what the one had that begins it, and the tests
// have much; so there is this small one in between.
func measured(file string) int {
	cmd := exec.Command(os.Args[0], os.Args[1:]...)
	cmd.Env = append(os.Environ(), "FENCEPOST_TEST_MAIN=1")
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.Run()
	if err := os.WriteFile(file, []byte(strconv.FormatInt(maxSize(cmd.ProcessState), 10)), 0o600); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	return cmd.ProcessState.ExitCode()
}

// TestMemory: no engine makes the process hold a tenth more than its limit.
func TestMemory(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("it takes the largest size of a process")
	}
	const limit = 96
	seconds := 2
	if testing.Short() {
		seconds = 1
	}
	for _, engine := range []string{"explicit", "bmc", "cegar", "lazy", "ic3", "kinduction", "saturation", "auto"} {
		programs := []string{"-D N=4 peterson-n.imp"}
		if engine == "auto" && !testing.Short() {
			programs = append(programs, "-D N=5 szymanski-n-fenced.imp")
		}
		for _, p := range programs {
			args := strings.Fields(fmt.Sprintf("check -q -e %s --timeout %ds --memory-limit %dM ", engine, seconds, limit) + p)
			args[len(args)-1] = filepath.Join("../../examples", args[len(args)-1])
			cmd := exec.Command(os.Args[0], args...)
			file := filepath.Join(t.TempDir(), "size")
			cmd.Env = append(os.Environ(), "FENCEPOST_TEST_SIZE="+file)
			out, err := cmd.CombinedOutput()
			var exit *exec.ExitError
			if err != nil && (!errors.As(err, &exit) || exit.ExitCode() != exitUnknown && exit.ExitCode() != exitUnsafe) {
				t.Errorf("%s: %v\n%s", args, err, out)
			}
			b, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			size, err := strconv.ParseInt(string(b), 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%s: %d MiB, %s", args, size>>20, out)
			if size > limit<<20/10*11 {
				t.Errorf("%s: %d MiB", args, size>>20)
			}
		}
	}
}

// alone is set in a process that runs one test only.
const alone = "FENCEPOST_ALONE"

// TestOutOfMemory: work that takes more than there is ends with that reason, whoever does it.
func TestOutOfMemory(t *testing.T) {
	if os.Getenv(alone) == "" { // what other tests keep would count
		child := exec.Command(os.Args[0], "-test.run=^TestOutOfMemory$")
		child.Env = append(os.Environ(), alone+"=1")
		if out, err := child.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	g := &guard{given: true, limit: 1 << 40}
	g.heap = usage().used + 64<<20
	ctx, stop := g.watch(t.Context())
	defer stop()
	var held [][]byte
	for ctx.Err() == nil && len(held) < 1<<10 {
		held = append(held, bytes.Repeat([]byte{1}, 1<<20))
		time.Sleep(100 * time.Microsecond)
	}
	if context.Cause(ctx) != errMemory {
		t.Errorf("%d MiB, and %v", len(held), context.Cause(ctx))
	}
	if len(held) > 100 {
		t.Errorf("%d MiB of 64", len(held))
	}
	runtime.KeepAlive(held)

	// Garbage is no reason.
	held = nil
	runtime.GC() // what was held
	g.heap = usage().used + 64<<20
	ctx, stop = g.watch(t.Context())
	defer stop()
	for range 1 << 10 {
		held = append(held[:0], bytes.Repeat([]byte{1}, 1<<20))
	}
	if ctx.Err() != nil {
		t.Errorf("garbage: %v", context.Cause(ctx))
	}
}

// TestLargeProgram: a program that alone takes the memory is refused.
func TestLargeProgram(t *testing.T) {
	var b strings.Builder
	b.WriteString("program Large\nvariables x\nprocess P0 begin\n")
	for range 150_000 {
		b.WriteString("x := 1;\n")
	}
	b.WriteString("end\nforbid x = 2\n")
	file := filepath.Join(t.TempDir(), "large.imp")
	if err := os.WriteFile(file, []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	out, err := command(t, "check", "--memory-limit", "64M", file).CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != exitInput || !strings.Contains(string(out), "--memory-limit: the program alone takes") {
		t.Errorf("%v\n%s", err, out)
	}
}
