package source

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/engine"
	"github.com/fencepost-verifier/fencepost/lang"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// twoThreads is a program in C whose threads execute p and q.
func twoThreads(p, q string) string {
	return fmt.Sprintf(`#include <stdatomic.h>
#include <threads.h>
#define NOW memory_order_relaxed
atomic_int x, y, z;
int p(void *_) {
	%s
	return 0;
}
int q(void *_) {
	%s
	return 0;
}
int main(void) {
	thrd_t s, t;
	thrd_create(&s, p, 0);
	thrd_create(&t, q, 0);
	thrd_join(s, 0);
	thrd_join(t, 0);
}
`, strings.ReplaceAll(p, "\n", "\n\t"), strings.ReplaceAll(q, "\n", "\n\t"))
}

// TestLBRaces has what programs need to be free of races of load buffering.
func TestLBRaces(t *testing.T) {
	load := func(c, order string) string { return fmt.Sprintf("atomic_load_explicit(&%s, %s)", c, order) }
	store := func(c, v, order string) string {
		return fmt.Sprintf("atomic_store_explicit(&%s, %s, %s);", c, v, order)
	}
	const rlx = "memory_order_relaxed"
	lb := "int r = " + load("x", rlx) + ";\n" + store("y", "1", rlx)
	for _, test := range []struct {
		name, p, q string
		want       string // what is written, in order, and the cost; or why nothing is
	}{
		{"LB", lb, "int r = " + load("y", rlx) + ";\n" + store("x", "r", rlx), "memory_order_acquire memory_order_acquire 2"},
		{"no race", lb, "int r = " + load("y", "memory_order_acquire") + ";\n" + store("z", "r", rlx), " 0"},
		{"acquire on one side", lb, "int r = " + load("y", "memory_order_acquire") + ";\n" + store("x", "r", rlx), "memory_order_acquire 1"},
		{"an order by another name", "int r = " + load("x", "NOW") + ";\n" + store("y", "1", "NOW"), "int r = " + load("y", "memory_order_acquire") + ";\n" + store("x", "r", rlx),
			"atomic_thread_fence(memory_order_acquire) 3"},
		{"no place", "if (" + load("x", "NOW") + " >= 0) " + store("y", "1", "NOW"), "int r = " + load("y", "memory_order_acquire") + ";\n" + store("x", "r", rlx),
			"the accesses that race are not written so that they could be made to order more"},
		{"update", "int r = atomic_fetch_add_explicit(&x, 1, " + rlx + ");\n" + store("y", "1", rlx), "int r = " + load("y", "memory_order_acquire") + ";\n" + store("x", "r", rlx), "memory_order_acquire 1"},
		{"loop", "for (int i = 0; i < 2; i++) {\n\tint r = " + load("x", rlx) + ";\n\tif (r == 0) break;\n}\n" + store("y", "1", rlx), "int r = " + load("y", "memory_order_acquire") + ";\n" + store("x", "r", rlx), "memory_order_release 1"},
	} {
		src := &program.Source{Name: "lb.c", Text: twoThreads(test.p, test.q)}
		settings := lang.C{Orders: true}
		p, err := lang.Parse(src, nil, settings)
		if err != nil {
			t.Fatal(err)
		}
		r, err := Find(context.Background(), p, Options{Goal: verdict.LBRaces, C: settings})
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		got := r.Reason
		if len(r.Sets) > 0 {
			var what []string
			for _, f := range r.Sets[0].Fences {
				what = append(what, f.What)
				if f.Without == nil || f.Without.Verdict() != verdict.IsUnsafe {
					t.Errorf("%s: %s is not needed", test.name, f.What)
				}
			}
			got = fmt.Sprint(strings.Join(what, " "), " ", r.Sets[0].Cost)
			if q, err := lang.Parse(&program.Source{Name: "lb.c", Text: r.Text}, nil, settings); err != nil {
				t.Errorf("%s: %v", test.name, err)
			} else if now, err := engine.LBRaces(context.Background(), q, engine.Options{}); err != nil || !now.Safe() || !r.Verified() {
				t.Errorf("%s: not free of races: %v %v", test.name, now, err)
			}
		}
		if got != test.want {
			t.Errorf("%s: %q, want %q\n%s", test.name, got, test.want, r.Text)
		}
	}
}
