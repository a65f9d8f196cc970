package edits_test

import (
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/lang/c/edits"
	"github.com/fencepost-verifier/fencepost/lang/c/syntax"
	"github.com/fencepost-verifier/fencepost/program"
)

// TestStrengthenings has what relaxed accesses can become.
func TestStrengthenings(t *testing.T) {
	for _, test := range []struct{ call, want string }{
		{"atomic_load_explicit(&x, memory_order_relaxed)", "memory_order_acquire"},
		{"atomic_load_explicit(&x, memory_order_acquire)", ""},
		{"atomic_load(&x)", ""},
		{"atomic_store_explicit(&x, f(1, 2), memory_order_relaxed)", "memory_order_release"},
		{"atomic_exchange_explicit(&x, 1, memory_order_relaxed)", "memory_order_acquire memory_order_release memory_order_acq_rel"},
		{"atomic_compare_exchange_strong_explicit(&x, &e, 1, memory_order_relaxed, memory_order_acquire)", "memory_order_acquire memory_order_release memory_order_acq_rel"},
		{"__atomic_load_n(&x, __ATOMIC_RELAXED)", "__ATOMIC_ACQUIRE"},
		{"__atomic_fetch_add(&x, 1, __ATOMIC_RELAXED)", "__ATOMIC_ACQUIRE __ATOMIC_RELEASE __ATOMIC_ACQ_REL"},
		{"__atomic_thread_fence(__ATOMIC_RELAXED)", ""},
		{"atomic_load_explicit(&x, ORDER)", ""},
	} {
		src := &program.Source{Name: "a.c", Text: "#include <stdatomic.h>\natomic_int x; int e;\n#define ORDER memory_order_relaxed\n" +
			"int f(int a, int b) { return a; }\nint main(void) {\n\t" + test.call + ";\n}\n"}
		var got []string
		fences := 0
		for _, s := range edits.Strengthenings(src, syntax.Options{}) {
			if !s.Instead {
				fences++
				continue
			}
			got = append(got, s.What)
			text := program.Revise(src.Text, s.Edits).Text
			if s.Pos.Line != 6 || s.Pos.Col != 2 || !strings.Contains(text, s.What) || len(text) == len(src.Text) && text == src.Text {
				t.Errorf("%s: %s at %v:\n%s", test.call, s.What, s.Pos, text)
			}
		}
		if g := strings.Join(got, " "); g != test.want {
			t.Errorf("%s: %q, want %q", test.call, g, test.want)
		}
		if fences == 0 {
			t.Errorf("%s: there is no place for a fence", test.call)
		}
	}
}
