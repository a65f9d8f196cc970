package selftest

import (
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"strings"

	"github.com/fencepost-verifier/fencepost/internal/randc"
	"github.com/fencepost-verifier/fencepost/lang"
	"github.com/fencepost-verifier/fencepost/program"
)

// computed is random C of one thread (package randc), which has one result whatever the model. What
// that is the reader of C says, which computes what main does before it makes threads, or a
// walk along the only thread. The same runs in a thread that main makes, and engines have to say that the
// results are those. That the reader computes what compilers do is tested by package lang/c.
type computed struct {
	name    string // of the function
	lines   []string
	results []string // variables
}

func newComputed(rng *rand.Rand) *computed {
	// Most constructs make programs that are too large for engines that know each value.
	opts := randc.Options{Arrays: rng.IntN(2) == 0, Structs: rng.IntN(3) == 0, Bits: rng.IntN(3) == 0, Pointers: rng.IntN(3) == 0, Atomics: rng.IntN(3) == 0}
	p := randc.New(rng, "q", opts)
	return &computed{p.Name, strings.Split(p.Text, "\n"), p.Results}
}

func (s *computed) text() string { return randc.Types + strings.Join(s.lines, "\n") }

// values are the results; the error says why they are not known.
func (s *computed) values() (map[string]uint64, error) {
	p, err := lang.Parse(&program.Source{Name: "T.c", Text: s.text() + "\nint main(void) { " + s.name + "(); return 0; }\n"}, nil, lang.C{})
	if err != nil {
		return nil, err
	}
	mem, err := walk(p)
	if err != nil {
		return nil, err
	}
	values := map[string]uint64{}
	for _, c := range p.Memory {
		values[c.Name] = uint64(mem[c.Addr])
	}
	return values, nil
}

func (s *computed) subjects() []subject {
	values, err := s.values()
	var stray *walkError
	if errors.As(err, &stray) {
		return nil // what a line was left out of need not have a meaning
	}
	var main strings.Builder
	for _, name := range s.results {
		fmt.Fprintf(&main, "\tassert(%s == %dul);\n", name, values[name])
	}
	text := "#include <assert.h>\n#include <pthread.h>\n" + s.text() + "\nstatic void *other(void *arg) {\n\t" + s.name + "();\n\treturn 0;\n}\n" +
		"int main(void) {\n\tpthread_t t;\n\tpthread_create(&t, 0, other, 0);\n\tpthread_join(t, 0);\n" + main.String() + "\treturn 0;\n}\n"
	if err != nil { // it is refused, which is to be said of this text, too
		return []subject{{language: "computed c", file: "T.c", text: text}}
	}
	return []subject{
		{language: "computed c", file: "T.c", text: text, alike: true, safe: true},
		{language: "computed c11", file: "T.c", text: text, c: lang.C{Orders: true}, flags: "-m rc11", alike: true, safe: true},
	}
}

// smaller leaves out lines, as long as what is left can be read and computed.
func (s *computed) smaller() iter.Seq[source] {
	return func(yield func(source) bool) {
		for size := len(s.lines) / 2; size > 0; size /= 2 {
			for at := 0; at+size <= len(s.lines); at += size {
				c := &computed{s.name, append(append([]string{}, s.lines[:at]...), s.lines[at+size:]...), s.results}
				if _, err := c.values(); err == nil && !yield(c) {
					return
				}
			}
		}
	}
}

// A walkError says why a program has no end that could be computed.
type walkError struct{ why string }

func (e *walkError) Error() string { return e.why }

// walk runs a program of one thread that has no choices, and gives the memory in the end.
func walk(p *program.Program) (map[int64]int64, error) {
	t := p.Threads[0]
	mem, types := map[int64]int64{}, map[int64]program.Type{}
	for _, c := range p.Memory {
		mem[c.Addr], types[c.Addr] = c.Init, c.Type
	}
	regs := make([]int64, len(t.Regs))
	for i, r := range t.Regs {
		regs[i] = r.Init
	}
	env := &program.Env{Reg: func(r program.Reg) int64 { return regs[r] }}
	stray := func(format string, args ...any) error { return &walkError{fmt.Sprintf(format, args...)} }
	// do is whether a command is possible.
	do := func(c *program.Command) (bool, error) {
		switch c.Op {
		case program.Check:
			return program.Eval(c.Value, env) != 0, nil
		case program.Assert:
			if program.Eval(c.Value, env) == 0 {
				return false, stray("line %d: %s", c.Pos.Line, c.Text)
			}
		case program.Assign:
			regs[c.Reg] = t.Regs[c.Reg].Type.Wrap(program.Eval(c.Value, env))
		case program.Load, program.Store:
			at := program.Eval(c.Addr, env)
			typ, ok := types[at]
			switch {
			case !ok:
				return false, stray("there is no cell %d", at)
			case c.Op == program.Store:
				mem[at] = typ.Wrap(program.Eval(c.Value, env))
			default:
				regs[c.Reg] = t.Regs[c.Reg].Type.Wrap(mem[at])
			}
		case program.Fence:
		default:
			return false, stray("a step of kind %v", c.Op)
		}
		return true, nil
	}
	out := t.Out()
	q := t.Initial
steps:
	for range 1 << 20 {
		if len(out[q]) == 0 {
			return mem, nil
		}
		for _, e := range out[q] {
			body := []program.Command{t.Edges[e].Cmd}
			if body[0].Op == program.Atomic {
				body = body[0].Body
			}
			possible := true
			for i := range body {
				var err error
				if possible, err = do(&body[i]); err != nil {
					return nil, err
				}
				if !possible {
					break
				}
			}
			if possible {
				q = t.Edges[e].To
				continue steps
			}
		}
		return nil, stray("stuck in %s", t.States[q].Name)
	}
	return nil, stray("it does not end")
}
