package c_test

import (
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/engine"
	"github.com/fencepost-verifier/fencepost/lang/c"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// TestProcessors has litmus tests in C, compiled: what the orders forbid no processor shows, and what they do
// not, those do that are known to.
func TestProcessors(t *testing.T) {
	const head = `#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#define LD(x, o) atomic_load_explicit(&x, memory_order_##o)
#define ST(x, v, o) atomic_store_explicit(&x, v, memory_order_##o)
#define ADD(x, o) atomic_fetch_add_explicit(&x, 1, memory_order_##o)
#define FENCE(o) atomic_thread_fence(memory_order_##o)
atomic_int x, y, z; int a, b, c, d;
`
	programs := func(condition string, threads ...string) string {
		var text, start, join strings.Builder
		for i, body := range threads {
			name := string(rune('f' + i))
			text.WriteString("void *" + name + "(void *p) { " + body + " return 0; }\n")
			start.WriteString("pthread_create(&t" + name + ", 0, " + name + ", 0); ")
			join.WriteString("pthread_join(t" + name + ", 0); ")
		}
		names := "tf, tg, th, ti"[:4*len(threads)-2]
		return head + text.String() + "int main(void) { pthread_t " + names + "; " + start.String() + join.String() + "assert(!(" + condition + ")); return 0; }"
	}
	for _, test := range []struct {
		name, text string
		seen       string // by armv8, riscv, power
	}{
		{"MP rlx", programs("a == 1 && b == 0", "ST(x, 1, relaxed); ST(y, 1, relaxed);", "a = LD(y, relaxed); b = LD(x, relaxed);"), "yyy"},
		{"MP rel acq", programs("a == 1 && b == 0", "ST(x, 1, relaxed); ST(y, 1, release);", "a = LD(y, acquire); b = LD(x, relaxed);"), "nnn"},
		{"MP rel rlx", programs("a == 1 && b == 0", "ST(x, 1, relaxed); ST(y, 1, release);", "a = LD(y, relaxed); b = LD(x, relaxed);"), "yyy"},
		{"MP rlx acq", programs("a == 1 && b == 0", "ST(x, 1, relaxed); ST(y, 1, relaxed);", "a = LD(y, acquire); b = LD(x, relaxed);"), "yyy"},
		{"MP fences", programs("a == 1 && b == 0", "ST(x, 1, relaxed); FENCE(release); ST(y, 1, relaxed);", "a = LD(y, relaxed); FENCE(acquire); b = LD(x, relaxed);"), "nnn"},
		{"MP add", programs("a == 1 && b == 0", "ST(x, 1, relaxed); ADD(y, release);", "a = ADD(y, acquire); b = LD(x, relaxed);"), "nnn"},
		{"MP add rlx", programs("a == 1 && b == 0", "ST(x, 1, relaxed); ADD(y, release);", "a = ADD(y, relaxed); b = LD(x, relaxed);"), "yyy"},
		{"MP cas fails", programs("a == 1 && b == 0", "ST(x, 1, relaxed); ST(y, 1, release);",
			"a = 0; int e = 0; if (!atomic_compare_exchange_strong_explicit(&y, &e, 2, memory_order_acquire, memory_order_relaxed)) a = e; b = LD(x, relaxed);"), "nny"}, // the load acquires in any case, but for isync
		{"MP cas rlx fails", programs("a == 1 && b == 0", "ST(x, 1, relaxed); ST(y, 1, release);",
			"a = 0; int e = 0; if (!atomic_compare_exchange_strong_explicit(&y, &e, 2, memory_order_release, memory_order_relaxed)) a = e; b = LD(x, relaxed);"), "yyy"},
		{"cas decides", programs("a == 1 && b == 0", "ST(y, 1, relaxed); ST(x, 1, release);",
			"int e = 1; if (atomic_compare_exchange_strong_explicit(&x, &e, 9, memory_order_relaxed, memory_order_relaxed)) ST(z, 1, relaxed);",
			"a = LD(z, acquire); b = LD(y, relaxed);"), "nnn"}, // a control dependency
		{"SB sc", programs("a == 0 && b == 0", "ST(x, 1, seq_cst); a = LD(y, seq_cst);", "ST(y, 1, seq_cst); b = LD(x, seq_cst);"), "nnn"},
		{"SB rel acq", programs("a == 0 && b == 0", "ST(x, 1, release); a = LD(y, acquire);", "ST(y, 1, release); b = LD(x, acquire);"), "nyy"}, // Arm's are as strong as sc
		{"SB fences", programs("a == 0 && b == 0", "ST(x, 1, relaxed); FENCE(seq_cst); a = LD(y, relaxed);", "ST(y, 1, relaxed); FENCE(seq_cst); b = LD(x, relaxed);"), "nnn"},
		{"SB fences acq_rel", programs("a == 0 && b == 0", "ST(x, 1, relaxed); FENCE(acq_rel); a = LD(y, relaxed);", "ST(y, 1, relaxed); FENCE(acq_rel); b = LD(x, relaxed);"), "nyy"}, // a full fence on Arm
		{"LB rlx", programs("a == 1 && b == 1", "a = LD(x, relaxed); ST(y, 1, relaxed);", "b = LD(y, relaxed); ST(x, 1, relaxed);"), "yyy"},
		{"LB rel", programs("a == 1 && b == 1", "a = LD(x, relaxed); ST(y, 1, release);", "b = LD(y, relaxed); ST(x, 1, release);"), "nnn"},
		{"IRIW sc", programs("a == 1 && b == 0 && c == 1 && d == 0", "ST(x, 1, seq_cst);", "ST(y, 1, seq_cst);", "a = LD(x, seq_cst); b = LD(y, seq_cst);", "c = LD(y, seq_cst); d = LD(x, seq_cst);"), "nnn"},
		{"IRIW acq", programs("a == 1 && b == 0 && c == 1 && d == 0", "ST(x, 1, release);", "ST(y, 1, release);", "a = LD(x, acquire); b = LD(y, acquire);", "c = LD(y, acquire); d = LD(x, acquire);"), "nny"},
		{"WRC", programs("a == 1 && b == 1 && c == 0", "ST(x, 1, relaxed);", "a = LD(x, relaxed); ST(y, 1, release);", "b = LD(y, acquire); c = LD(x, relaxed);"), "nnn"},
	} {
		for i, to := range []struct {
			mapping c.Mapping
			model   memory.Model
		}{{c.AArch64, "armv8"}, {c.RISCV, "riscv"}, {c.Power, "power"}} {
			p, err := c.Parse(&program.Source{Name: test.name + ".c", Text: test.text}, c.Options{Mapping: to.mapping})
			if err != nil {
				t.Fatal(err)
			}
			r, err := engine.Check(t.Context(), p, engine.Options{Model: to.model, Engine: engine.BMC})
			if err != nil {
				t.Fatal(err)
			}
			if want := map[byte]verdict.Verdict{'y': verdict.IsUnsafe, 'n': verdict.IsSafe}[test.seen[i]]; r.Verdict() != want {
				t.Errorf("%s, %s: %s, want %s", test.name, to.model, r.Verdict(), want)
			}
		}
	}
}
