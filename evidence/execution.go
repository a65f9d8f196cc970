package evidence

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/fencepost-verifier/fencepost/certify"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// An execution graph is a certificate that a program is not safe under a model of axioms: the accesses and fences of every
// thread, what each read reads from, and the order of the writes to each address. It is
// checked by reading the threads, which shares nothing with those who found it, and by evaluating the axioms.
const executionLine = "execution\n"

// words of a model that ask for what is not read here off the threads.
var unread = []string{"addr", "data", "ctrl", "casdep", "pick-addr", "pick-data", "pick-ctrl", "rcu-rscs"}

// axioms is the model of p, where there are certificates of executions of it.
func axioms(p *program.Program, m memory.Model) (*memory.Definition, error) {
	if err := m.Takes(p); err != nil {
		return nil, err
	}
	d, err := memory.LoadFor(m, p.Arch)
	if err == nil {
		err = d.Covers(p)
	}
	if err != nil {
		return nil, err
	}
	for _, w := range unread {
		if d.Cat.Mentions(w) {
			return nil, fmt.Errorf("there are no certificates of executions under models that mention %s", w)
		}
	}
	if p.NoHang || m.Certifies() || p.Parts() || p.Exclusives() || memory.Block(p) != nil {
		return nil, errors.New("there are no certificates of executions with locks, blocks, or parts of instructions")
	}
	return d, nil
}

func writeExecution(w io.Writer, r *verdict.Result) error {
	x := r.Execution()
	if _, err := axioms(r.Program(), r.Model()); err != nil {
		return err
	}
	g := x.Graph.Sorted()
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "%s\n%sprogram %s\nmodel %s\n", certify.Magic, executionLine, program.Fingerprint(r.Program()), r.Model())
	thread := memory.InitialThread
	for i := range g.Events {
		e := &g.Events[i]
		if e.Thread != thread {
			fmt.Fprintf(b, "thread %d\n", e.Thread)
			thread = e.Thread
		}
		switch {
		case e.Initial():
			fmt.Fprintf(b, "initial %d\n", e.Addr)
		case e.Kind == memory.Read:
			fmt.Fprintf(b, "read %d %d %d\n", e.Addr, e.Value, g.Source(i))
		case e.Kind == memory.Write:
			after := 0 // how many writes come before it in coherence
			for k := range g.Events {
				if g.CO.Has(k, i) {
					after++
				}
			}
			fmt.Fprintf(b, "write %d %d %d\n", e.Addr, e.Value, after)
		default:
			b.WriteString("fence\n")
		}
	}
	b.WriteString("end\n")
	return b.Flush()
}

// A line of an execution: an event, and for a read the number of the write that it reads from, for a write how many
// come before it.
type happening struct {
	kind              memory.Kind
	addr, value, from int64
	number            int64 // of the event
}

// A course is how a thread may have come to do what it is said to have done.
type course struct {
	pc     program.StateID
	regs   []int64
	events []memory.Event
	said   []happening // by event
	at     int         // how many of what is said
	rmw    []int       // of each event, 1 for the write of an Atomic that has read
	failed bool        // an assertion of the user
}

// own is what is said of an event of an address that one thread alone accesses: a read reads from the last write.
const own = -1

func (c *course) clone() course {
	n := *c
	n.regs, n.events, n.said, n.rmw = slices.Clone(c.regs), slices.Clip(c.events), slices.Clip(c.said), slices.Clip(c.rmw)
	return n
}

// last is the last write to an address, or -1.
func (c *course) last(addr int64) int {
	for i := len(c.events) - 1; i >= 0; i-- {
		if e := &c.events[i]; e.Kind == memory.Write && e.Addr == addr {
			return i
		}
	}
	return -1
}

// maxCourses bounds the courses and steps of a thread that are tried.
const maxCourses = 1 << 18

func certifyExecution(ctx context.Context, text []byte, p *program.Program) (*Accepted, error) {
	var initial []int64
	said := make([][]happening, len(p.Threads))
	thread, over, events := -1, false, int64(0)
	var head [2]string
	for n, line := range strings.Split(strings.TrimSuffix(string(text), "\n"), "\n") {
		words := strings.Split(line, " ")
		if n < 2 && len(words) == 2 && words[0] == []string{"program", "model"}[n] {
			head[n] = words[1]
			continue
		}
		ns := make([]int64, len(words)-1)
		ok := n >= 2 && !over
		for i := range ns {
			var err error
			ns[i], err = strconv.ParseInt(words[i+1], 10, 64)
			ok = ok && err == nil && strconv.FormatInt(ns[i], 10) == words[i+1]
		}
		switch key := fmt.Sprint(words[0], len(ns)); {
		case ok && key == "initial1" && thread < 0 && !slices.Contains(initial, ns[0]):
			initial = append(initial, ns[0])
			events++
		case ok && key == "thread1" && ns[0] > int64(thread) && ns[0] < int64(len(p.Threads)):
			thread = int(ns[0])
		case ok && len(ns) == 3 && (ns[2] < 0 || !slices.Contains(initial, ns[0])):
			return nil, fmt.Errorf("certificate, line %d: of an address that has no initial write, or from no event", n+3)
		case ok && key == "read3" && thread >= 0:
			said[thread] = append(said[thread], happening{memory.Read, ns[0], ns[1], ns[2], events})
			events++
		case ok && key == "write3" && thread >= 0:
			said[thread] = append(said[thread], happening{memory.Write, ns[0], ns[1], ns[2], events})
			events++
		case ok && key == "fence0" && thread >= 0:
			said[thread] = append(said[thread], happening{kind: memory.Fence, number: events})
			events++
		case ok && key == "end0":
			over = true
		default:
			return nil, fmt.Errorf("certificate, line %d: %.80q is no part of an execution", n+3, line)
		}
	}
	if want := program.Fingerprint(p); !over || head[0] != want {
		return nil, fmt.Errorf("certificate: it is for program %s, not %s, or has no end", head[0], want)
	}
	d, err := axioms(p, memory.Model(head[1]))
	if err != nil {
		return nil, err
	}
	x := &reading{ctx: ctx, p: p, d: d, initial: initial, said: said}
	for t := range p.Threads {
		x.thread = t
		x.seen = map[string]bool{}
		x.courses = append(x.courses, nil)
		start := course{pc: p.Threads[t].Initial}
		for _, r := range p.Threads[t].Regs {
			start.regs = append(start.regs, r.Init)
		}
		if err := x.read(start); err != nil {
			return nil, err
		}
		if len(x.courses[t]) == 0 {
			return nil, fmt.Errorf("certificate: thread %s does not do that, if its reads give that", p.Threads[t].Name)
		}
	}
	what, err := x.convict(nil)
	if err != nil {
		return nil, err
	}
	return &Accepted{Model: memory.Model(head[1]), Shows: "unsafe", Trusting: "package memory, that it evaluates the axioms as they are meant",
		Because: "the threads do what the execution has, it satisfies all axioms, and " + what}, nil
}

// A reading of the threads of an execution.
type reading struct {
	ctx     context.Context
	p       *program.Program
	d       *memory.Definition
	initial []int64
	said    [][]happening
	courses [][]course // by thread
	thread  int
	seen    map[string]bool
	tried   int
}

// read goes all ways that thread can go from c, as far as it does what is said.
func (x *reading) read(c course) error {
	if x.tried++; x.tried > maxCourses || len(x.courses[x.thread]) > 64 {
		return errors.New("certificate: a thread can do that in too many ways")
	}
	if err := x.ctx.Err(); err != nil {
		return err
	}
	values := map[int64]int64{} // by the thread's last writes; what it has read besides makes no difference to what it goes on with
	for _, e := range c.events {
		if e.Kind == memory.Write {
			values[e.Addr] = e.Value
		}
	}
	if key := fmt.Sprint(c.pc, c.regs, values, c.at, c.failed); x.seen[key] {
		return nil
	} else if x.seen[key] = true; c.at == len(x.said[x.thread]) {
		x.courses[x.thread] = append(x.courses[x.thread], c)
	}
	t := x.p.Threads[x.thread]
	for i := range t.Edges {
		if e := &t.Edges[i]; e.From == c.pc && !c.failed {
			next := c.clone()
			next.pc = e.To
			body := e.Cmd.Body
			if e.Cmd.Op != program.Atomic {
				body = []program.Command{e.Cmd}
			}
			if err := x.commands(next, body, e.Cmd.Op == program.Atomic, len(c.events)); err != nil {
				return err
			}
		}
	}
	return nil
}

// commands does those of an edge, of which those before have made the events from first on.
func (x *reading) commands(c course, body []program.Command, atomic bool, first int) error {
	t := x.p.Threads[x.thread]
	if len(body) == 0 {
		if atomic && len(c.events) == first && x.p.Arch == program.X86 && !x.event(&c, &program.Command{Op: program.Atomic}, memory.Fence, 0, 0, false) {
			return nil
		}
		if atomic && c.at < len(x.said[x.thread]) && x.said[x.thread][c.at].kind == memory.Fence && x.alone(c.events[first:]) {
			next := c.clone() // a fence is said instead of accesses that nobody else sees
			next.at++
			if err := x.read(next); err != nil {
				return err
			}
		}
		return x.read(c)
	}
	cmd := &body[0]
	eval := func(e program.Expr) int64 {
		return program.EvalRegs(e, c.regs)
	}
	switch cmd.Op {
	case program.Check:
		if eval(cmd.Value) == 0 {
			return nil
		}
	case program.Assert:
		if eval(cmd.Value) == 0 {
			if c.failed = cmd.Kind == program.Assertion; !c.failed {
				return nil // what comes then has no meaning
			}
		}
	case program.Assign:
		c.regs[cmd.Reg] = t.Regs[cmd.Reg].Type.Wrap(eval(cmd.Value))
	case program.Havoc:
		for v := cmd.Lo; ; v++ {
			next := c.clone()
			next.regs[cmd.Reg] = t.Regs[cmd.Reg].Type.Wrap(v)
			if err := x.commands(next, body[1:], atomic, first); err != nil || v >= cmd.Hi {
				return err
			}
			if x.tried++; x.tried > maxCourses {
				return errors.New("certificate: a free choice has too many values")
			}
		}
	case program.Load:
		addr, v := eval(cmd.Addr), int64(0)
		if !slices.Contains(x.initial, addr) {
			if v = x.start(addr); c.last(addr) >= 0 {
				v = c.events[c.last(addr)].Value
			}
		} else if c.at < len(x.said[x.thread]) {
			v = x.said[x.thread][c.at].value
		}
		if !x.event(&c, cmd, memory.Read, addr, v, atomic) {
			return nil
		}
		c.regs[cmd.Reg] = t.Regs[cmd.Reg].Type.Wrap(v)
	case program.Store:
		addr, typ := eval(cmd.Addr), x.p.Default
		if k := x.p.CellAt(addr); k >= 0 {
			typ = x.p.Memory[k].Type
		}
		reads := len(c.events) > first
		if !x.event(&c, cmd, memory.Write, addr, typ.Wrap(eval(cmd.Value)), atomic) {
			return nil
		}
		if atomic && reads {
			c.rmw[len(c.rmw)-1] = 1
		}
	case program.Fence:
		if !x.event(&c, cmd, memory.Fence, 0, 0, atomic) {
			return nil
		}
	default:
		return nil
	}
	return x.commands(c, body[1:], atomic, first)
}

// event is whether an event is the next one that the thread is said to do. Of an address of which nothing is said, it is
// the thread's own, or nobody writes there.
func (x *reading) event(c *course, cmd *program.Command, k memory.Kind, addr, v int64, atomic bool) bool {
	h := happening{k, addr, v, own, own}
	if k == memory.Fence || slices.Contains(x.initial, addr) {
		if c.at == len(x.said[x.thread]) {
			return false
		}
		if h = x.said[x.thread][c.at]; h.kind != k || k != memory.Fence && (h.addr != addr || h.value != v) {
			return false
		}
		c.at++
	}
	c.said = append(c.said, h)
	c.events = append(c.events, memory.Event{Thread: x.thread, Kind: k, Tags: cmd.EventTags(x.p.Arch, atomic), Addr: addr, Value: v})
	c.rmw = append(c.rmw, 0)
	return true
}

// convict looks for courses of all threads that make a graph that is consistent and violates something, and says what.
func (x *reading) convict(chosen []course) (string, error) {
	if len(chosen) < len(x.p.Threads) {
		err := errors.New("")
		for _, c := range x.courses[len(chosen)] {
			var what string
			if what, err = x.convict(append(slices.Clip(chosen), c)); err == nil {
				return what, nil
			}
		}
		return "", err
	}
	if x.tried++; x.tried > maxCourses {
		return "", errors.New("certificate: the threads can do that in too many ways")
	}
	g, last, err := x.graph(chosen)
	if err != nil {
		return "", err
	}
	if vs, err := x.d.CheckContext(x.ctx, g); err != nil {
		return "", err
	} else if len(vs) > 0 {
		return "", fmt.Errorf("certificate: the execution violates %s of the model", vs[0].Axiom.Name)
	}
	final := true
	for t, c := range chosen {
		if c.failed {
			return "an assertion of thread " + x.p.Threads[t].Name + " fails", nil
		}
		q := &x.p.Threads[t].States[c.pc]
		final = final && q.Kind == program.Plain && !slices.ContainsFunc(x.p.Threads[t].Edges, func(e program.Edge) bool { return e.From == c.pc })
	}
	env := &program.Env{
		ThreadReg: func(t, r int) int64 { return chosen[t].regs[r] },
		At:        func(t int) program.StateID { return chosen[t].pc },
		Mem: func(addr int64) int64 {
			if v, ok := last[addr]; ok {
				return v
			}
			return x.start(addr)
		},
	}
	for i := range x.p.Properties {
		pr := &x.p.Properties[i]
		if pr.Kind == program.Forbid && !looks(pr.Cond) && program.Eval(pr.Cond, env) != 0 {
			return "it comes to what violates " + pr.String(), nil
		}
		if pr.Final() && final && (x.p.Filter == nil || program.Eval(x.p.Filter, env) != 0) && pr.Violated(program.Eval(pr.Cond, env)) {
			return "its end violates " + pr.String(), nil
		}
	}
	return "", errors.New("certificate: the execution violates nothing")
}

// alone is whether nothing is said of the addresses of events.
func (x *reading) alone(events []memory.Event) bool {
	return len(events) > 0 && !slices.ContainsFunc(events, func(e memory.Event) bool { return slices.Contains(x.initial, e.Addr) })
}

// looks is whether a condition looks at memory, which in the middle of an execution has no value.
func looks(cond program.Expr) (found bool) {
	program.Walk(cond, func(e program.Expr) {
		_, mem := e.(program.Mem)
		found = found || mem
	})
	return found
}

// start is what is at an address at first.
func (x *reading) start(addr int64) int64 {
	if k := x.p.CellAt(addr); k >= 0 {
		return x.p.Memory[k].Init
	}
	return 0
}

// graph is that of the courses, and what is written last at each address.
func (x *reading) graph(chosen []course) (*memory.Graph, map[int64]int64, error) {
	g := &memory.Graph{}
	writes := map[int64][]int{} // in coherence
	addrs, users, written := slices.Clone(x.initial), map[int64][]int{}, map[int64]bool{}
	for t, c := range chosen {
		for _, e := range c.events {
			if e.Kind == memory.Fence || slices.Contains(x.initial, e.Addr) {
				continue
			}
			if users[e.Addr] == nil {
				addrs = append(addrs, e.Addr)
			}
			if written[e.Addr] = written[e.Addr] || e.Kind == memory.Write; !slices.Contains(users[e.Addr], t) {
				users[e.Addr] = append(users[e.Addr], t)
			}
			if written[e.Addr] && len(users[e.Addr]) > 1 {
				return nil, nil, fmt.Errorf("certificate: two threads access %d, of which nothing is said", e.Addr)
			}
		}
	}
	for _, addr := range addrs {
		writes[addr] = []int{g.Add(memory.Event{Thread: memory.InitialThread, Kind: memory.Write, Addr: addr, Value: x.start(addr)})}
	}
	type of struct {
		n int
		h happening
	}
	var all []of
	number := map[int64]int{} // of events, by that of what is said
	for i := range x.initial {
		number[int64(i)] = i
	}
	for _, c := range chosen {
		for i, e := range c.events {
			n, h := g.Add(e), c.said[i]
			if h.number != own {
				number[h.number] = n
			} else if h.kind == memory.Read {
				h.from = int64(writes[e.Addr][len(writes[e.Addr])-1])
			} else if h.kind == memory.Write {
				h.from = int64(len(writes[e.Addr]))
			}
			all = append(all, of{n, h})
			if c.rmw[i] == 1 {
				g.RMW.Add(n-1, n)
			}
			if e.Kind == memory.Write {
				writes[e.Addr] = append(writes[e.Addr], n)
			}
		}
	}
	placed := map[int64][]int{}
	for addr, ws := range writes {
		placed[addr] = slices.Repeat([]int{-1}, len(ws))
		placed[addr][0] = ws[0]
	}
	for _, e := range all {
		switch e.h.kind {
		case memory.Read:
			from, ok := int(e.h.from), true
			if e.h.number != own {
				from, ok = number[e.h.from]
			}
			if !ok {
				return nil, nil, fmt.Errorf("certificate: there is no event %d", e.h.from)
			}
			if w := &g.Events[from]; w.Kind != memory.Write || w.Addr != e.h.addr || w.Value != e.h.value {
				return nil, nil, fmt.Errorf("certificate: event %d cannot read from %d", e.n, e.h.from)
			}
			g.RF.Add(from, e.n)
		case memory.Write:
			if e.h.from < 1 || e.h.from >= int64(len(placed[e.h.addr])) || placed[e.h.addr][e.h.from] >= 0 {
				return nil, nil, fmt.Errorf("certificate: event %d cannot come behind %d others", e.n, e.h.from)
			}
			placed[e.h.addr][e.h.from] = e.n
		}
	}
	last := map[int64]int64{}
	for addr, ws := range placed {
		g.Order(ws...)
		last[addr] = g.Events[ws[len(ws)-1]].Value
	}
	return g, last, nil
}

// isExecution is what comes behind the first lines of a certificate of an execution.
func isExecution(text []byte) ([]byte, bool) {
	return bytes.CutPrefix(text, []byte(certify.Magic+"\n"+executionLine))
}
