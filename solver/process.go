//go:build !js

package solver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// wellKnown are the programs that Available looks for.
var wellKnown = []string{
	"cadical", "kissat", "cryptominisat5", "glucose", "minisat", "lingeling", "picosat", "clasp",
}

func programs() []string {
	var found []string
	for _, name := range wellKnown {
		if _, err := exec.LookPath(name); err == nil {
			found = append(found, name)
		}
	}
	return found
}

// processBackend runs a program for each solve: nothing is kept from one to the
// next, so it suits few and hard queries.
type processBackend struct {
	path   string
	args   []string
	file   bool  // the answer goes to a file named by a second argument
	values []Lit // of the last model
	failed []Lit
	count  int64
}

func newProcess(name string) (backend, error) {
	path, err := exec.LookPath(name)
	if err != nil {
		return nil, fmt.Errorf("not built in, and not a program: %w", err)
	}
	// The program runs in another directory.
	if path, err = filepath.Abs(path); err != nil {
		return nil, err
	}
	p := &processBackend{path: path, count: -1}
	switch base := filepath.Base(path); {
	case strings.HasPrefix(base, "minisat"):
		p.file = true
	case strings.HasPrefix(base, "glucose"):
		p.args = []string{"-model"}
	}
	return p, nil
}

func (p *processBackend) solve(ctx context.Context, cnf *clauseLog, assumptions []Lit) (Status, error) {
	p.failed = p.failed[:0]
	status, values, err := p.run(ctx, cnf, assumptions)
	if err != nil {
		return Unknown, err
	}
	if status == Sat {
		p.values = values
		return Sat, nil
	}
	if len(assumptions) == 0 {
		return Unsat, nil
	}
	// A program names no core. All the assumptions are one, but if the
	// clauses need none of them, the caller should know. The last model often
	// shows that they do: when it still satisfies the clauses. Else ask.
	m := model(nil).reset(cnf.vars)
	for _, l := range p.values {
		m.set(l)
	}
	if _, clause := cnf.falsified(m); clause != nil {
		switch status, values, _ := p.run(ctx, cnf, nil); status {
		case Sat:
			p.values = values
		case Unsat:
			return Unsat, nil
		}
		// Without an answer, all the assumptions are still right.
	}
	p.failed = append(p.failed, assumptions...)
	return Unsat, nil
}

// isolate prepares a command for being killed with all that it started, where
// the platform can do that.
var isolate = func(*exec.Cmd) {}

// run asks the program once. The status is Sat or Unsat if there is no error.
func (p *processBackend) run(ctx context.Context, cnf *clauseLog, assumptions []Lit) (
	status Status, values []Lit, err error) {

	// The program works in a directory of its own, so that whatever it
	// leaves behind goes away with it.
	dir, err := os.MkdirTemp("", "fencepost-")
	if err != nil {
		return Unknown, nil, err
	}
	defer func() {
		if e := os.RemoveAll(dir); err == nil {
			err = e
		}
	}()
	in, out := filepath.Join(dir, "in.cnf"), filepath.Join(dir, "out")
	if err := writeFile(ctx, in, cnf, assumptions); err != nil {
		return Unknown, nil, err
	}

	args := append(slices.Clone(p.args), in)
	if p.file {
		args = append(args, out)
	}
	cmd := exec.CommandContext(ctx, p.path, args...)
	cmd.Dir = dir
	cmd.WaitDelay = time.Second // for a descendant that got away and holds the pipe
	isolate(cmd)
	said := &reply{vars: cnf.vars, conflicts: -1}
	complaint := new(prefix)
	cmd.Stdout, cmd.Stderr = said, complaint
	failure := cmd.Run()
	code := cmd.ProcessState.ExitCode()
	if _, exited := errors.AsType[*exec.ExitError](failure); exited && (code == 10 || code == 20) {
		failure = nil // these say sat and unsat
	}
	said.close()
	if p.file {
		said = &reply{vars: cnf.vars, bare: true, conflicts: said.conflicts}
		if failure == nil {
			failure = said.readFile(out)
		}
	}
	if said.conflicts >= 0 {
		p.count = max(p.count, 0) + said.conflicts
	}
	switch {
	case said.err != nil:
		failure = said.err
	case failure != nil:
	case said.status == Unknown:
		failure = errNoAnswer
	case code == 10 && said.status != Sat, code == 20 && said.status != Unsat:
		failure = fmt.Errorf("said %v, but ended with exit status %d", said.status, code)
	default:
		return said.status, said.values, nil
	}
	if complaint.text != "" {
		failure = fmt.Errorf("%w: %s", failure, strings.TrimSpace(complaint.text))
	}
	return Unknown, nil, failure
}

func writeFile(ctx context.Context, name string, cnf *clauseLog, assumptions []Lit) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	err = cnf.write(ctx, f, assumptions)
	if e := f.Close(); err == nil {
		err = e
	}
	return err
}

func (p *processBackend) model(m model) {
	for _, l := range p.values {
		m.set(l)
	}
}

func (p *processBackend) core(dst []Lit) []Lit { return append(dst, p.failed...) }

func (p *processBackend) conflicts() int64 { return p.count }

func (p *processBackend) close() error { return nil }

// A prefix keeps the beginning of what is written to it.
type prefix struct{ text string }

func (p *prefix) Write(b []byte) (int, error) {
	p.text += string(b[:min(len(b), 1000-len(p.text))])
	return len(b), nil
}

// A reply makes sense of what a program prints, in the format of the SAT
// competitions: a line "s SATISFIABLE" or "s UNSATISFIABLE", the values of the
// variables in lines that begin with "v", and lines of other kinds, which are
// ignored but for a count of conflicts. A bare reply is MiniSat's file: SAT or
// UNSAT and the values.
//
// It is read as it comes, token by token, because one solver puts a million
// values on one line and another prints statistics for hours.
type reply struct {
	vars int
	bare bool

	status    Status
	values    []Lit
	conflicts int64
	err       error // what makes no sense

	token   []byte
	kind    string // the first token of the line
	counted bool   // the next number is that of conflicts
}

func (r *reply) Write(b []byte) (int, error) {
	for _, c := range b {
		switch {
		case c > ' ':
			if len(r.token) < 32 { // longer ones mean nothing
				r.token = append(r.token, c)
			}
		default:
			if len(r.token) > 0 {
				r.word(string(r.token))
				r.token = r.token[:0]
			}
			if c == '\n' {
				r.kind, r.counted = "", false
			}
		}
		if r.err != nil {
			return 0, r.err
		}
	}
	return len(b), nil
}

// close makes sense of a last line without an end.
func (r *reply) close() {
	if r.err == nil {
		r.Write([]byte("\n"))
	}
}

func (r *reply) readFile(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := io.Copy(r, f); err != nil {
		return err
	}
	r.close()
	return nil
}

func (r *reply) word(w string) {
	first := r.kind == ""
	if first {
		r.kind = w
	}
	switch {
	case r.bare:
		switch w {
		case "SAT":
			r.answer(Sat)
		case "UNSAT":
			r.answer(Unsat)
		case "INDET":
		default:
			r.value(w)
		}
	case r.kind == "v":
		if !first {
			r.value(w)
		}
	case r.kind == "s":
		switch w {
		case "SATISFIABLE":
			r.answer(Sat)
		case "UNSATISFIABLE":
			r.answer(Unsat)
		}
	case w == "conflicts:" || w == "conflicts":
		r.counted = true
	case r.counted && w != ":":
		if n, err := strconv.ParseInt(w, 10, 64); err == nil {
			r.conflicts = n
		}
		r.counted = false
	}
}

func (r *reply) answer(s Status) {
	if r.status != Unknown && r.status != s {
		r.err = errors.New("answered both sat and unsat")
	}
	r.status = s
}

func (r *reply) value(w string) {
	l, err := strconv.Atoi(w)
	if err != nil || l > r.vars || l < -r.vars {
		r.err = fmt.Errorf("%q is no value of the variables 1 to %d", w, r.vars)
		return
	}
	if l != 0 {
		r.values = append(r.values, Lit(l))
	}
}
