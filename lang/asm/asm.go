// Package asm reads and writes programs as automata, in the text format of the
// robustness checker Trencher. In goes the text of a file, out comes a
// [program.Program], and the other way round.
//
// A statement takes one line; # begins a comment.
//
//	memory_size 10      # accepted, without effect
//
//	thread t0
//	initial q0
//	transition q0 q1 write 1 0
//	transition q1 q2 read flag 1
//	transition q2 enter check == flag 0
//	end
//
//	goal t0 enter t1 enter
//
// The commands are
//
//	write VALUE ADDRESS     read REGISTER ADDRESS
//	local REGISTER VALUE    check CONDITION
//	mfence   noop   lock   unlock
//
// Values, addresses and conditions are expressions in prefix notation over
// integers and registers: the operators of package program but for the unary
// minus, which is "- 0 x". Names are any words; a register's must have a letter
// or a digit in it and not look like a number. Registers belong to their thread
// and exist by being used, control states by being mentioned. Registers and
// cells are of 32 bits, signed, and start at 0; any address may be used.
//
// A goal line is an addition to Trencher's format. It names threads and control
// states that must never be reached all at the same time, and may stand
// anywhere outside the threads. (In Trencher ^ is a power, which its
// documentation does not mention; here it is the exclusive or.)
package asm

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/fencepost-verifier/fencepost/internal/suggest"
	"github.com/fencepost-verifier/fencepost/program"
)

// Parse reads the program. Its errors are of type [*program.Diagnostic].
func Parse(src *program.Source) (*program.Program, error) {
	p := &parser{
		prog:    &program.Program{Name: src.Name, Source: src, Default: program.Int32Type},
		threads: map[string]int{},
	}
	line := 0
	for text := range strings.SplitSeq(src.Text, "\n") {
		line++
		if err := p.scan(text, line); err != nil {
			return nil, err
		}
		if len(p.rest) == 0 {
			continue
		}
		if err := p.statement(); err != nil {
			return nil, err
		}
	}
	if err := p.finish(); err != nil {
		return nil, err
	}
	return p.prog, nil
}

// maxDepth bounds the nesting of expressions: whoever walks one recurses.
const maxDepth = 1000

type word struct {
	text string
	pos  program.Position
}

type parser struct {
	prog *program.Program
	rest []word           // what is left of the line
	end  program.Position // just after its last word

	threads map[string]int
	goals   [][]word

	// Of the thread that is being read; nil outside of one.
	thread  *program.Thread
	name    word
	initial word
	states  map[string]program.StateID
	regs    map[string]int
}

func (p *parser) errorf(pos program.Position, hint, format string, args ...any) error {
	return p.prog.Diagnose(pos, fmt.Sprintf(format, args...), hint)
}

// scan splits a line into words, the comment left out. A # within a word does
// not begin one: names may have it.
func (p *parser) scan(text string, line int) error {
	p.rest = nil
	for i := 0; i < len(text); {
		n := strings.IndexAny(text[i:], " \t\r\v\f")
		if n < 0 {
			n = len(text) - i
		}
		if n == 0 {
			i++
			continue
		}
		w := word{text[i : i+n], program.Position{Line: line, Col: i + 1}}
		if w.text[0] == '#' {
			break
		}
		if j := strings.IndexFunc(w.text, unprintable); j >= 0 {
			w.pos.Col += j
			return p.errorf(w.pos, "", "unprintable character in %q", w.text)
		}
		p.rest = append(p.rest, w)
		i += n
		p.end = program.Position{Line: line, Col: i + 1}
	}
	return nil
}

func unprintable(r rune) bool { return r == utf8.RuneError || !unicode.IsPrint(r) }

// next takes the next word of the line, which should be what.
func (p *parser) next(what, usage string) (word, error) {
	if len(p.rest) == 0 {
		return word{}, p.errorf(p.end, usage, "missing %s", what)
	}
	w := p.rest[0]
	p.rest = p.rest[1:]
	return w, nil
}

// done is an error where words are left.
func (p *parser) done(usage string) error {
	if len(p.rest) == 0 {
		return nil
	}
	w := p.rest[0]
	if _, ok := binaryOps[w.text]; ok {
		usage += "\n  operators come before their operands, such as " + w.text + " a b"
	}
	return p.errorf(w.pos, usage, "%q is too much", w.text)
}

func (p *parser) statement() error {
	keyword, _ := p.next("", "")
	if p.thread == nil {
		switch keyword.text {
		case "thread":
			return p.beginThread()
		case "goal":
			p.goals = append(p.goals, append([]word{keyword}, p.rest...))
			return nil
		case "memory_size":
			return p.memorySize()
		case "initial", "transition", "end":
			return p.errorf(keyword.pos, "", "%q outside a thread", keyword.text)
		}
		return p.errorf(keyword.pos, hint(keyword.text, "thread", "goal", "memory_size"),
			"expected thread, goal or memory_size, found %q", keyword.text)
	}
	switch keyword.text {
	case "initial":
		return p.initialState()
	case "transition":
		return p.transition()
	case "end":
		return p.endThread()
	case "thread", "goal", "memory_size":
		return p.errorf(keyword.pos, `a thread ends with "end"`, "%q within thread %s", keyword.text, p.name.text)
	case "final":
		return p.errorf(keyword.pos, "to ask for states, put a line outside the threads: goal THREAD STATE ...",
			`"final" is not supported`)
	}
	return p.errorf(keyword.pos, hint(keyword.text, "initial", "transition", "end"),
		"expected initial, transition or end, found %q", keyword.text)
}

func (p *parser) memorySize() error {
	const usage = "memory_size NUMBER"
	w, err := p.next("number", usage)
	if err != nil {
		return err
	}
	if _, err := strconv.ParseUint(w.text, 10, 63); err != nil {
		return p.errorf(w.pos, usage, "%q is not a size", w.text)
	}
	return p.done(usage)
}

func (p *parser) beginThread() error {
	const usage = "thread NAME"
	w, err := p.next("name of the thread", usage)
	if err != nil {
		return err
	}
	if _, ok := p.threads[w.text]; ok {
		return p.errorf(w.pos, "", "there is a thread %s already", w.text)
	}
	p.threads[w.text] = len(p.prog.Threads)
	p.thread = &program.Thread{Name: w.text}
	p.prog.Threads = append(p.prog.Threads, p.thread)
	p.name = w
	p.initial = word{}
	p.states = map[string]program.StateID{}
	p.regs = map[string]int{}
	return p.done(usage)
}

func (p *parser) endThread() error {
	if p.initial.text == "" {
		return p.errorf(p.name.pos, "initial STATE", "thread %s has no initial state", p.name.text)
	}
	p.thread = nil
	return p.done("end")
}

func (p *parser) initialState() error {
	const usage = "initial STATE"
	w, err := p.next("state", usage)
	if err != nil {
		return err
	}
	if p.initial.text != "" {
		return p.errorf(w.pos, "", "the initial state of thread %s is %s already, in line %d",
			p.name.text, p.initial.text, p.initial.pos.Line)
	}
	p.initial = w
	p.thread.Initial = p.state(w)
	return p.done(usage)
}

func (p *parser) state(w word) program.StateID {
	q, ok := p.states[w.text]
	if !ok {
		q = program.StateID(len(p.thread.States))
		p.states[w.text] = q
		p.thread.States = append(p.thread.States, program.State{Name: w.text, Pos: w.pos})
	}
	return q
}

func (p *parser) register(w word) (int, error) {
	switch {
	case isNumber(w.text):
		return 0, p.errorf(w.pos, "", "expected a register, found %q", w.text)
	case !isRegister(w.text):
		return 0, p.errorf(w.pos, suggestOperator(w.text), "%q is neither an operator nor a name", w.text)
	}
	r, ok := p.regs[w.text]
	if !ok {
		r = len(p.thread.Regs)
		p.regs[w.text] = r
		p.thread.Regs = append(p.thread.Regs, program.Register{Name: w.text, Type: program.Int32Type})
	}
	return r, nil
}

// commandUsage is the commands with their operands.
var commandUsage = map[string]string{
	"write":  "write VALUE ADDRESS",
	"read":   "read REGISTER ADDRESS",
	"local":  "local REGISTER VALUE",
	"check":  "check CONDITION",
	"mfence": "mfence",
	"noop":   "noop",
	"lock":   "lock",
	"unlock": "unlock",
}

func (p *parser) transition() error {
	const usage = "transition FROM TO COMMAND"
	from, err := p.next("state that the transition leaves", usage)
	if err != nil {
		return err
	}
	to, err := p.next("state that the transition leads to", usage)
	if err != nil {
		return err
	}
	name, err := p.next("command", usage)
	if err != nil {
		return err
	}
	e := program.Edge{From: p.state(from), To: p.state(to), Pos: name.pos}
	if e.Cmd, err = p.command(name); err != nil {
		return err
	}
	e.Cmd.Pos = name.pos
	p.thread.Edges = append(p.thread.Edges, e)
	return p.done(commandUsage[name.text])
}

func (p *parser) command(name word) (c program.Command, err error) {
	usage := commandUsage[name.text]
	switch name.text {
	case "write":
		c.Op = program.Store
		if c.Value, err = p.expr("value", usage, 0); err == nil {
			c.Addr, err = p.expr("address", usage, 0)
		}
	case "read", "local":
		var w word
		if w, err = p.next("register", usage); err != nil {
			break
		}
		if c.Reg, err = p.register(w); err != nil {
			break
		}
		if name.text == "read" {
			c.Op = program.Load
			c.Addr, err = p.expr("address", usage, 0)
		} else {
			c.Op = program.Assign
			c.Value, err = p.expr("value", usage, 0)
		}
	case "check":
		c.Op = program.Check
		c.Value, err = p.expr("condition", usage, 0)
	case "mfence":
		c.Op = program.Fence
	case "noop":
		c = program.Skip()
	case "lock":
		c.Op = program.Lock
	case "unlock":
		c.Op = program.Unlock
	default:
		err = p.errorf(name.pos, hint(name.text, "write", "read", "local", "check", "mfence", "noop", "lock", "unlock"),
			"unknown command %q", name.text)
	}
	return c, err
}

var (
	unaryOps  = map[string]program.UnaryOp{"~": program.Complement, "!": program.LogicalNot}
	binaryOps = map[string]program.BinaryOp{}
)

func init() {
	for op := program.Add; op <= program.LogicalOr; op++ {
		binaryOps[op.String()] = op
	}
}

func (p *parser) expr(what, usage string, depth int) (program.Expr, error) {
	w, err := p.next(what, usage)
	if err != nil {
		return nil, err
	}
	if depth > maxDepth {
		return nil, p.errorf(w.pos, "", "the expression is nested too deeply")
	}
	if op, ok := unaryOps[w.text]; ok {
		x, err := p.expr("operand of "+w.text, usage, depth+1)
		return program.Unary{Op: op, X: x}, err
	}
	if op, ok := binaryOps[w.text]; ok {
		x, err := p.expr("first operand of "+w.text, usage, depth+1)
		if err != nil {
			return nil, err
		}
		y, err := p.expr("second operand of "+w.text, usage, depth+1)
		return program.Binary{Op: op, X: x, Y: y}, err
	}
	if isNumber(w.text) {
		n, err := strconv.ParseInt(w.text, 10, 64)
		if err != nil {
			return nil, p.errorf(w.pos, "", "%q is not an integer of 64 bits", w.text)
		}
		return program.Const(n), nil
	}
	r, err := p.register(w)
	return program.Reg(r), err
}

// isNumber is true of what begins like an integer.
func isNumber(s string) bool {
	s = strings.TrimLeft(s, "+-")
	return s != "" && '0' <= s[0] && s[0] <= '9'
}

// isRegister is true of the names that a register may have.
func isRegister(s string) bool {
	return !isNumber(s) && strings.ContainsFunc(s, func(r rune) bool {
		return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r)
	})
}

func (p *parser) finish() error {
	if p.thread != nil {
		return p.errorf(p.name.pos, "", `thread %s has no "end"`, p.name.text)
	}
	if len(p.prog.Threads) == 0 {
		return p.errorf(program.Position{}, "a thread begins with: thread NAME", "there is no thread")
	}
	for _, g := range p.goals {
		if err := p.goal(g); err != nil {
			return err
		}
	}
	return nil
}

// goal turns a line into a property; the threads are known by now.
func (p *parser) goal(words []word) error {
	const usage = "goal THREAD STATE THREAD STATE ..."
	keyword := words[0]
	last := words[len(words)-1]
	p.end = program.Position{Line: last.pos.Line, Col: last.pos.Col + len(last.text)}
	p.rest = words[1:]
	var cond program.Expr
	seen := map[int]bool{}
	for first := true; first || len(p.rest) > 0; first = false {
		w, err := p.next("thread", usage)
		if err != nil {
			return err
		}
		ti, ok := p.threads[w.text]
		if !ok {
			names := make([]string, len(p.prog.Threads))
			for i, t := range p.prog.Threads {
				names[i] = t.Name
			}
			return p.errorf(w.pos, hint(w.text, names...), "there is no thread %s", w.text)
		}
		if seen[ti] {
			return p.errorf(w.pos, "a thread is at one state at a time; for another goal begin another line",
				"thread %s is named twice", w.text)
		}
		seen[ti] = true
		t := p.prog.Threads[ti]
		if w, err = p.next("state of thread "+t.Name, usage); err != nil {
			return err
		}
		q, hint := findState(t, w.text)
		if q < 0 {
			return p.errorf(w.pos, hint, "thread %s has no state %s", t.Name, w.text)
		}
		at := program.At{Thread: ti, States: []program.StateID{q}, Name: t.Name + "@" + w.text}
		if cond == nil {
			cond = at
		} else {
			cond = program.Binary{Op: program.LogicalAnd, X: cond, Y: at}
		}
	}
	texts := make([]string, len(words))
	for i, w := range words {
		texts[i] = w.text
	}
	p.prog.Properties = append(p.prog.Properties, program.Property{
		Kind: program.Forbid, Cond: cond, Text: strings.Join(texts, " "), Pos: keyword.pos,
	})
	return nil
}

// findState is the state with the name, or -1 and a hint.
func findState(t *program.Thread, name string) (program.StateID, string) {
	names := make([]string, len(t.States))
	for q := range t.States {
		names[q] = t.States[q].Name
		if names[q] == name {
			return program.StateID(q), ""
		}
	}
	return -1, hint(name, names...)
}

func suggestOperator(s string) string {
	switch s {
	case "=":
		return `did you mean "=="?`
	case "<>":
		return `did you mean "!="?`
	case "=<":
		return `did you mean "<="?`
	case "=>":
		return `did you mean ">="?`
	}
	return ""
}

// hint is a remark at the candidate that s is probably a misspelling of, or "".
func hint(s string, candidates ...string) string {
	if c := suggest.Nearest(s, candidates); c != "" {
		return fmt.Sprintf("did you mean %q?", c)
	}
	return ""
}
