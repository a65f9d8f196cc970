package selftest

import (
	"fmt"
	"strings"
)

// A dialect is C of some kind.
type dialect uint8

const (
	pthreads dialect = iota // a program with main
	c11                     // a litmus test
	kernel                  // a litmus test of the Linux kernel's C
)

var orders = map[op][3]string{
	load:     {"relaxed", "acquire", "seq_cst"},
	store:    {"relaxed", "release", "seq_cst"},
	exchange: {"relaxed", "acq_rel", "seq_cst"},
	add:      {"relaxed", "acq_rel", "seq_cst"},
	cas:      {"relaxed", "acq_rel", "seq_cst"},
	await:    {"relaxed", "acquire", "seq_cst"},
}

// c is t as a C program with threads. What registers hold at the end is stored, so that main,
// which waits for all threads, can assert that the question has the answer no.
func (t *tree) c() (string, bool) {
	var b strings.Builder
	b.WriteString("#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n")
	for i, v := range t.init {
		fmt.Fprintf(&b, "atomic_int %s = %d;\n", cellName(i), v)
	}
	var terms []string
	for _, m := range t.cond {
		name := cellName(m.index)
		if m.thread >= 0 {
			name = fmt.Sprintf("P%d_r%d", m.thread, m.index)
			fmt.Fprintf(&b, "int %s;\n", name)
		}
		terms = append(terms, fmt.Sprintf("%s == %d", name, m.value))
	}
	for i, body := range t.threads {
		fmt.Fprintf(&b, "void *P%d(void *arg) {\n  int r0 = 0, r1 = 0, r2 = 0, e, n;\n", i)
		cBody(&b, pthreads, body, "  ")
		for _, m := range t.cond {
			if m.thread == i {
				fmt.Fprintf(&b, "  P%d_r%d = r%d;\n", i, m.index, m.index)
			}
		}
		b.WriteString("  return 0;\n}\n")
	}
	b.WriteString("int main(void) {\n")
	for i := range t.threads {
		fmt.Fprintf(&b, "  pthread_t t%d;\n", i)
	}
	for i := range t.threads {
		fmt.Fprintf(&b, "  pthread_create(&t%d, 0, P%d, 0);\n", i, i)
	}
	for i := range t.threads {
		fmt.Fprintf(&b, "  pthread_join(t%d, 0);\n", i)
	}
	fmt.Fprintf(&b, "  assert(!(%s));\n  return 0;\n}\n", strings.Join(terms, " && "))
	return b.String(), true
}

// cLitmus is t as a litmus test in C.
func (t *tree) cLitmus(d dialect) (string, bool) {
	// Where a compare-and-swap puts what it found is a variable in memory, in tests for C11.
	if d == kernel && t.has(add) || d == c11 && t.has(cas) || t.has(await) {
		return "", false
	}
	typ := "atomic_int"
	if d == kernel {
		typ = "int"
	}
	var b strings.Builder
	b.WriteString("C T\n{ ")
	var params []string
	for i, v := range t.init {
		fmt.Fprintf(&b, "[%s] = %d; ", cellName(i), v)
		params = append(params, typ+" *"+cellName(i))
	}
	b.WriteString("}\n")
	for i, body := range t.threads {
		fmt.Fprintf(&b, "P%d (%s) {\n  int r0 = 0; int r1 = 0; int r2 = 0; int e = 0; int n = 0;\n", i, strings.Join(params, ", "))
		cBody(&b, d, body, "  ")
		b.WriteString("}\n")
	}
	fmt.Fprintf(&b, "exists (%s)\n", t.question(func(r int) string { return fmt.Sprintf("r%d", r) }))
	return b.String(), true
}

// question is the condition as litmus tests write it.
func (t *tree) question(register func(int) string) string {
	var terms []string
	for _, m := range t.cond {
		if m.thread < 0 {
			terms = append(terms, fmt.Sprintf("%s=%d", cellName(m.index), m.value))
		} else {
			terms = append(terms, fmt.Sprintf("%d:%s=%d", m.thread, register(m.index), m.value))
		}
	}
	return strings.Join(terms, ` /\ `)
}

func cBody(b *strings.Builder, d dialect, body []stmt, indent string) {
	for i := range body {
		s := &body[i]
		v := s.value.expr()
		say := func(format string, args ...any) { fmt.Fprintf(b, indent+format+";\n", args...) }
		switch s.op {
		case store:
			say("%s", d.store(s, v))
		case load:
			say("r%d = %s", s.reg, d.load(s))
		case fence:
			say("%s", d.fence())
		case exchange, add:
			say("r%d = %s", s.reg, d.update(s, v))
		case cas:
			d.compare(say, s, v)
		case assign:
			say("r%d = %s", s.reg, v)
		case await:
			say("while (%s != %d)", d.load(s), s.expect)
		case branch:
			fmt.Fprintf(b, "%sif (r%d == %d) {\n", indent, s.reg, s.expect)
			cBody(b, d, s.then, indent+"  ")
			if len(s.els) > 0 {
				b.WriteString(indent + "} else {\n")
				cBody(b, d, s.els, indent+"  ")
			}
			b.WriteString(indent + "}\n")
		case loop:
			fmt.Fprintf(b, "%sfor (n = 0; n < 2; n++) {\n", indent)
			cBody(b, d, s.then, indent+"  ")
			b.WriteString(indent + "}\n")
		}
	}
}

// at is how the cell of s is given to a function.
func (d dialect) at(s *stmt) string {
	if d == pthreads {
		return "&" + cellName(s.cell)
	}
	return cellName(s.cell)
}

func (s *stmt) memoryOrder() string { return "memory_order_" + orders[s.op][s.order] }

func (d dialect) fence() string {
	if d == kernel {
		return "smp_mb()"
	}
	return "atomic_thread_fence(memory_order_seq_cst)"
}

func (d dialect) store(s *stmt, v string) string {
	switch {
	case d == kernel && s.order == relaxed:
		return fmt.Sprintf("WRITE_ONCE(*%s, %s)", d.at(s), v)
	case d == kernel:
		return fmt.Sprintf("smp_store_release(%s, %s)", d.at(s), v)
	}
	return fmt.Sprintf("atomic_store_explicit(%s, %s, %s)", d.at(s), v, s.memoryOrder())
}

func (d dialect) load(s *stmt) string {
	switch {
	case d == kernel && s.order == relaxed:
		return fmt.Sprintf("READ_ONCE(*%s)", d.at(s))
	case d == kernel:
		return fmt.Sprintf("smp_load_acquire(%s)", d.at(s))
	}
	return fmt.Sprintf("atomic_load_explicit(%s, %s)", d.at(s), s.memoryOrder())
}

func (d dialect) update(s *stmt, v string) string {
	switch {
	case d == kernel && s.order == relaxed:
		return fmt.Sprintf("xchg_relaxed(%s, %s)", d.at(s), v)
	case d == kernel:
		return fmt.Sprintf("xchg(%s, %s)", d.at(s), v)
	case s.op == add:
		return fmt.Sprintf("atomic_fetch_add_explicit(%s, %s, %s)", d.at(s), v, s.memoryOrder())
	}
	return fmt.Sprintf("atomic_exchange_explicit(%s, %s, %s)", d.at(s), v, s.memoryOrder())
}

func (d dialect) compare(say func(string, ...any), s *stmt, v string) {
	if d == kernel {
		say("e = cmpxchg(%s, %d, %s)", d.at(s), s.expect, v)
		say("r%d = (e == %d)", s.reg, s.expect)
		return
	}
	// What is stored may depend on e, of which the function makes something else.
	say("e = %d", s.expect)
	failing := "relaxed"
	if s.order == seqCst {
		failing = "seq_cst"
	}
	say("r%d = atomic_compare_exchange_strong_explicit(%s, &e, %s, %s, memory_order_%s)", s.reg, d.at(s), v, s.memoryOrder(), failing)
}
