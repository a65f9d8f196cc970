package c_test

import (
	"testing"

	"github.com/fencepost-verifier/fencepost/lang/c"
	"github.com/fencepost-verifier/fencepost/memory"
)

// TestRacesOfSequences has bit-fields side by side, in several units: what is accessed of them for the sake of races counts neither as read nor
// as stored to.
func TestRacesOfSequences(t *testing.T) {
	const before = `#include <pthread.h>
		#include <stdlib.h>
		struct s { unsigned a : 10, k : 10, b : 20, c : 20; } s; int x;
		static void start(void *(*f)(void *), void *arg) { pthread_t t; pthread_create(&t, 0, f, arg); pthread_detach(t); }
	`
	for _, test := range []struct {
		name, body, want string
		model            memory.Model
	}{
		{"the second and the third unit", `void *f(void *p) { s.b = 1; return 0; } int main(void) { start(f, 0); s.c = 1; }`, "UNSAFE", memory.SC},
		{"the third unit, and all of it", `void *f(void *p) { s.c = 1; return 0; } int main(void) { struct s t; start(f, 0); t = s; return t.a; }`, "UNSAFE", memory.SC},
		{"elements", `struct s e[2]; void *f(void *p) { e[0].b = 1; return 0; } int main(void) { start(f, 0); e[1].b = 1; e[1].c = 2; }`, "SAFE", memory.SC},
		{"in a union that is divided", `union { struct s s; char c[12]; } g; void *f(void *p) { g.s.a = 1; return 0; } int main(void) { start(f, 0); g.s.b = 1; return g.c[11]; }`, "UNSAFE", memory.SC},
		{"read in a union that is divided", `struct { int k; union { struct { unsigned a : 20, b : 20; }; long l; }; } g; void *f(void *p) { return (void *)(long)g.b; }
			int main(void) { x = (int)g.l; start(f, 0); g.a = 1; }`, "UNSAFE", memory.RC11},
		{"beside it in a union that is divided", `union { struct { unsigned a : 20, b : 20, : 0, c : 8; } s; char c[12]; } g; void *f(void *p) { g.s.b = 1; return 0; }
			int main(void) { x = g.c[8]; start(f, 0); g.s.c = 1; }`, "SAFE", memory.RC11},
		{"under a lock", `pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; void *f(void *p) { pthread_mutex_lock(&m); s.b = 1; pthread_mutex_unlock(&m); return 0; }
			int main(void) { start(f, 0); pthread_mutex_lock(&m); if (s.b) x = s.c; s.a = 1; pthread_mutex_unlock(&m); }`, "SAFE", memory.SC},
		{"not written", `void *f(void *p) { struct s *q = p; q->b = 3; q->c = 4; struct s t = *q; t.b = 1; free(q); return 0; }
			int main(void) { struct s *q = malloc(sizeof *q), l; l.b = 2; q->c = 1; start(f, q); l.c = 3; return l.b; }`, "SAFE", memory.RC11},
		{"a number that may be anything", `void *f(void *p) { x = 2; return 0; } int main(void) { struct s l, *q = &l; start(f, 0); q->b = 3; if (q->a == 5) x = 1; }`, "UNKNOWN", memory.SC},
		{"one of those beside it, too", `void *f(void *p) { x = 2; return 0; } int main(void) { struct s *q = malloc(sizeof *q); start(f, 0); q->k = 1; q->b = 3; if (q->a == 5) x = 1; }`, "UNKNOWN", memory.SC},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if r := racesUnder(t, test.model, before+test.body, c.Options{}); r.Verdict().String() != test.want {
				t.Errorf("%v %s, want %s", r.Verdict(), r.Reason(), test.want)
			}
		})
	}
}

// TestRacesAndLeaks has memory that a thread frees while main ends: that leaks are asked for, too, adds no access.
func TestRacesAndLeaks(t *testing.T) {
	const text = `#include <pthread.h>
		#include <stdlib.h>
		void *f(void *p) { free(p); return 0; }
		int main(void) { pthread_t t; pthread_create(&t, 0, f, malloc(4)); return 0; }`
	if r := racesUnder(t, memory.RC11, text, c.Options{Leaks: true}); r.Verdict().String() != "SAFE" {
		t.Errorf("%v %s", r.Verdict(), r.Reason())
	}
}
