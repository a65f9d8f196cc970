// Package peers finds and runs the programs that the benchmarks measure: those of
// other people, and our own command as one of them. A command line goes in; what it
// printed and what it took comes out, or an error that says why there is no answer:
// the program is not there, the time was up, or it failed. Nothing of that is ever
// taken for an answer.
package peers

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/fencepost-verifier/fencepost/bench/internal/cpu"
)

// A Tool is a program on this machine.
type Tool struct {
	Name, Path string
	Env        []string // beside the variables that are set
}

// Find looks for a program on the path.
func Find(name string) (*Tool, error) {
	path, err := exec.LookPath(name)
	if err == nil {
		path, err = filepath.Abs(path)
	}
	if err != nil {
		return nil, fmt.Errorf("%s is not on the path", name)
	}
	return &Tool{Name: filepath.Base(name), Path: path}, nil
}

// ErrLimit says that a run took longer than it may.
var ErrLimit = errors.New("time limit")

// ErrRefused says that the tool does not take such a program.
var ErrRefused = errors.New("refused")

// A Run is what one run of a tool printed and took.
type Run struct {
	Out, Err  string // standard output, and standard error
	Status    int    // exit status
	Wall, CPU time.Duration
	Peak      int64 // bytes of memory in use at a time, see [cpu.Peak]
}

// Run runs the tool in a directory ("" for the current one) until ctx ends. That
// the exit status is not 0 is no error: many tools say so what they found.
func (t *Tool) Run(ctx context.Context, dir string, args ...string) (*Run, error) {
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(ctx, t.Path, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &errs
	if t.Env != nil {
		cmd.Env = append(os.Environ(), t.Env...)
	}
	cmd.WaitDelay = time.Second // children that are left may hold the pipes
	start := time.Now()
	err := cmd.Run()
	r := &Run{Out: out.String(), Err: errs.String(), Wall: time.Since(start)}
	if s := cmd.ProcessState; s != nil {
		r.Status, r.CPU, r.Peak = s.ExitCode(), s.UserTime()+s.SystemTime(), cpu.Peak(s)
	}
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return nil, ErrLimit
	case errors.As(err, &exit) && exit.Exited(), err == nil:
		return r, nil
	case errors.As(err, &exit):
		return nil, fmt.Errorf("%s: %w%s", t.Name, err, r.tail())
	}
	return nil, fmt.Errorf("%s: %w", t.Name, err)
}

// Must is Run, but that an exit status other than 0 is an error.
func (t *Tool) Must(ctx context.Context, dir string, args ...string) (*Run, error) {
	r, err := t.Run(ctx, dir, args...)
	if err == nil && r.Status != 0 {
		err = t.Unexpected(r)
	}
	return r, err
}

// Unexpected is an error that shows the end of what the tool said.
func (t *Tool) Unexpected(r *Run) error {
	return fmt.Errorf("%s: exit status %d%s", t.Name, r.Status, r.tail())
}

// tail is the last lines that a run printed, for an error.
func (r *Run) tail() string {
	lines := strings.Split(strings.TrimSpace(r.Out+"\n"+r.Err), "\n")
	return ": " + strings.Join(lines[max(0, len(lines)-3):], " / ")
}

// versionFlags is how tools are asked for their version, where that is known.
var versionFlags = map[string]string{"cbmc": "--version", "fencepost": "version", "herd7": "-version", "spin": "-V"}

// Version is what the tool calls itself, as far as it says.
func (t *Tool) Version() string {
	flag, ok := versionFlags[t.Name]
	if !ok {
		return t.Name + " (" + t.Path + ")"
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	r, err := t.Run(ctx, "", flag)
	if err != nil {
		return err.Error()
	}
	version, _, _ := strings.Cut(strings.TrimSpace(r.Out), "\n")
	if !strings.Contains(strings.ToLower(version), strings.TrimRight(t.Name, "7")) {
		version = t.Name + " " + version
	}
	return version
}
