// Command fencepost verifies concurrent programs under sequential consistency
// and TSO. See "fencepost --help".
//
// The command parses flags, calls the library and prints what comes back; it
// decides nothing itself.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/fencepost-verifier/fencepost"
	"github.com/fencepost-verifier/fencepost/internal/suggest"
)

// The exit statuses.
const (
	exitSafe     = 0 // also: print and states did what they should
	exitUnsafe   = 1
	exitInput    = 2 // usage or input error
	exitUnknown  = 3 // also: the list of states is not complete
	exitInternal = 4
)

// worst orders the statuses for a command that had several files: the first of
// these that occurred is the status of the command.
var worst = []int{exitInternal, exitInput, exitUnsafe, exitUnknown, exitSafe}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// The first signal asks for what is known so far. After it the signals
	// have their usual effect again, so that a second one ends the program.
	context.AfterFunc(ctx, stop)
	endSoon(ctx)
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	a := &app{stdin: stdin, stdout: stdout, stderr: stderr, library: everything}
	return a.run(ctx, args)
}

// An app is one run of the command.
type app struct {
	stdin          io.Reader
	stdout, stderr io.Writer

	library

	texts   texts // in the place of files; nil: there is the disk
	pages   pages
	parts   []fencepost.Part // of a document, which is written at the end
	inner   bool             // the command is one of several of a file of settings
	status  int              // of the command that ran
	reports int              // written so far, as text
}

// The library is what the commands call that decide or compare, so that tests can do without it.
type library struct {
	check       func(context.Context, *fencepost.Program, ...fencepost.Option) (*fencepost.Result, error)
	finalStates func(context.Context, *fencepost.Program, ...fencepost.Option) (*fencepost.States, error)
	compare     func(context.Context, *fencepost.Program, []fencepost.Model, []fencepost.EngineName, ...fencepost.Option) (*fencepost.Comparison, error)
}

var everything = library{fencepost.Check, fencepost.FinalStates, fencepost.Compare}

func (a *app) run(ctx context.Context, args []string) (status int) {
	defer func() {
		if v := recover(); v != nil {
			status = a.fail("", fencepost.Text, panicked(v))
		}
	}()
	root := a.root(args...)
	if len(args) == 0 {
		fmt.Fprintf(a.stderr, "fencepost: no command given\n%s\nSee \"fencepost --help\".\n", overview(root))
		return exitInput
	}
	root.SetArgs(args)
	if cmd, err := root.ExecuteContextC(ctx); err != nil {
		fmt.Fprintf(a.stderr, "fencepost: %s\nSee \"%s --help\".\n", usageMessage(err, args), cmd.CommandPath())
		return exitInput
	}
	return a.status
}

// usageMessage puts what cobra says about the command line into one line.
func usageMessage(err error, args []string) string {
	msg, similar, _ := strings.Cut(err.Error(), "\n\nDid you mean this?\n")
	msg, _, _ = strings.Cut(msg, "\n")
	names := strings.Fields(similar)
	if _, word, ok := strings.Cut(msg, `"`); ok { // cobra takes two letters of three for near
		word, _, _ = strings.Cut(word, `"`)
		names = slices.DeleteFunc(names, func(n string) bool {
			return suggest.Nearest(word, []string{n}) == "" && !strings.HasPrefix(n, word)
		})
	}
	if len(names) > 0 {
		return msg + "; did you mean " + strings.Join(names, " or ") + "?"
	}
	if strings.HasPrefix(msg, "unknown command") && len(args) > 0 && strings.ContainsAny(args[0], "./") {
		return msg + "; to check a file: fencepost check FILE"
	}
	return msg
}

// each runs f for every file and leaves the worst of the statuses. A file that
// fails, whichever way, does not keep the others from their turn.
func (a *app) each(files []string, format fencepost.Format, f func(file string) (int, error)) {
	got := map[int]bool{}
	for _, file := range files {
		got[a.one(file, format, f)] = true
	}
	a.end(got)
}

// end leaves the worst of the statuses.
func (a *app) end(got map[int]bool) {
	for _, s := range worst {
		if got[s] {
			a.status = s
			return
		}
	}
}

func (a *app) one(file string, format fencepost.Format, f func(file string) (int, error)) (status int) {
	defer func() {
		if v := recover(); v != nil {
			status = a.fail(file, format, panicked(v))
		}
	}()
	status, err := f(file)
	if err != nil {
		return a.fail(file, format, err)
	}
	return status
}

// A session is the work on one file.
type session struct {
	p        *fencepost.Program
	guarded  context.Context // with the memory limit
	ctx      context.Context // and the time limit
	cancel   context.CancelFunc
	progress *progress
}

// open starts the clock and reads the program in a file. The session must be
// closed.
func (a *app) open(ctx context.Context, j *job, file string) (*session, error) {
	began := time.Now()
	reading, done := ctx, func() {}
	if j.timeout > 0 { // whoever has the program by then can say more than that the time is over
		reading, done = context.WithTimeout(ctx, time.Duration(j.timeout)+readingMore)
	}
	defer done()
	if m := fencepost.Model(j.model); !slices.Contains(fencepost.Models(), m) { // a file, which may be wrong
		if _, err := loadModel(reading, m); err != nil {
			return nil, err
		}
	}
	switch {
	case !j.implied:
		j.defines.model = fencepost.Model(j.model)
	case fencepost.IsC(file): // the default for what it is read as
		j.defines.model = fencepost.TSO
	}
	p, err := a.load(reading, file, j.defines)
	if stopped := new(fencepost.StoppedError); errors.As(err, &stopped) {
		return nil, &fencepost.StoppedError{Why: stopped.Why + " while it was read"}
	}
	if err != nil {
		return nil, err
	}
	if j.implied {
		j.model = modelFlag(fencepost.DefaultModel(p))
	}
	if j.share, err = j.guard.engines(); err != nil {
		return nil, err
	}
	s := &session{p: p, progress: newProgress(a.stderr)}
	var cancel, stop context.CancelFunc
	s.guarded, stop = j.guard.watch(ctx)
	s.ctx, cancel = j.context(s.guarded, began)
	s.cancel = func() { cancel(); stop() }
	return s, nil
}

func (s *session) close() {
	s.progress.clear()
	s.cancel()
}

// A panicError is a panic that was caught.
type panicError struct {
	value any
	stack []byte
}

func (e *panicError) Error() string { return fmt.Sprint(e.value) }

func panicked(v any) error { return &panicError{v, debug.Stack()} }

// debugVariable names the environment variable that asks for the stacks of
// internal errors.
const debugVariable = "FENCEPOST_DEBUG"

// fail says what went wrong and gives the status that this has. Messages go to
// standard error; a reader of JSON finds an object in the place of the result
// as well.
func (a *app) fail(file string, format fencepost.Format, err error) int {
	switch {
	case file != "" && format == fencepost.JSON:
		fencepost.PrintError(a.stdout, file, err)
	case file != "" && format.Collected():
		if p, e := fencepost.ErrorPart(format, file, err); e == nil {
			a.parts = append(a.parts, p)
		}
	}
	var diag *fencepost.Diagnostic
	if errors.As(err, &diag) {
		fmt.Fprintln(a.stderr, diag)
		return exitInput
	}
	// What is around us is not our defect.
	var out *outputError
	var solver *fencepost.SolverError
	var none *noCertificate
	var limit *limitError
	var stopped *fencepost.StoppedError
	var wasm *noWasm
	switch {
	case errors.As(err, &wasm):
		fmt.Fprintln(a.stderr, "fencepost:", wasm)
		return exitInput
	case errors.As(err, &stopped) && file == "":
		fmt.Fprintln(a.stderr, "fencepost:", stopped)
		return exitUnknown
	case errors.As(err, &stopped):
		fmt.Fprintf(a.stderr, "fencepost: %s: %v\n", file, stopped)
		return exitUnknown
	case errors.As(err, &limit):
		fmt.Fprintln(a.stderr, "fencepost:", limit)
		return exitInput
	case errors.As(err, &out):
		fmt.Fprintln(a.stderr, "fencepost:", out)
		return exitInput
	case errors.As(err, &none):
		fmt.Fprintln(a.stderr, "fencepost:", none)
		return exitInput
	case errors.As(err, &solver):
		fmt.Fprintf(a.stderr, "fencepost: %v; try another of %s\n", solver, strings.Join(fencepost.Solvers(), ", "))
		return exitInput
	}
	about := ""
	if file != "" {
		about = file + ": "
	}
	fmt.Fprintf(a.stderr, "fencepost: internal error: %s%v\n", about, err)
	fmt.Fprintln(a.stderr, "This is a defect in Fencepost. Please report it, with the program and the command line, at\nhttps://github.com/fencepost-verifier/fencepost")
	var p *panicError
	if errors.As(err, &p) {
		if os.Getenv(debugVariable) != "" {
			a.stderr.Write(p.stack)
		} else {
			fmt.Fprintf(a.stderr, "With %s=1 in the environment, the stack is shown.\n", debugVariable)
		}
	}
	return exitInternal
}
