package c_test

import (
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/lang/c"
	"github.com/fencepost-verifier/fencepost/memory"
)

// TestWaited gives back the memory of conditions, or leaves their blocks, and waits for them with two mutexes.
func TestWaited(t *testing.T) {
	t.Parallel()
	const (
		mutexes = "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER; "
		pointer = mutexes + "pthread_cond_t *c; int y; "
		waits   = "void *f(void *a) { pthread_mutex_lock(&m); y = 1; pthread_cond_wait(c, &m); pthread_mutex_unlock(&m); return 0; } "
		begins  = "int main(void) { pthread_t t; c = malloc(sizeof *c); pthread_cond_init(c, 0); pthread_create(&t, 0, f, 0); pthread_mutex_lock(&m); "
		pair    = mutexes + "struct s { pthread_cond_t c; pthread_mutex_t m; int x; } *s[2]; struct s *make(void) { struct s *s = malloc(sizeof *s); pthread_cond_init(&s->c, 0); pthread_mutex_init(&s->m, 0); s->x = 0; return s; } "
		two     = "int main(void) { pthread_t t, u; s[0] = make(); s[1] = make(); pthread_create(&t, 0, f, 0); pthread_create(&u, 0, g, 0); pthread_join(t, 0); pthread_join(u, 0); return 0; }"
	)
	for _, s := range []struct{ name, body, want string }{
		{"freed", pointer + waits + begins + "int r = y; if (r) free(c); pthread_mutex_unlock(&m); return 0; }", "UNSAFE"},
		{"freed when the mutex has been given back", pointer + waits + begins + "int r = y; pthread_mutex_unlock(&m); if (r) free(c); return 0; }", "UNSAFE"},
		{"freed by realloc", pointer + waits + begins + "int r = y; if (r) c = realloc(c, 2 * sizeof *c); pthread_mutex_unlock(&m); return 0; }", "UNSAFE"},
		{"freed by a function that is given anything", pointer + waits + "void give(void *p) { free(p); } " + begins + "int r = y; if (r) give(c); pthread_mutex_unlock(&m); return 0; }", "UNSAFE"},
		{"freed by another thread", pointer + waits + "void *g(void *a) { pthread_mutex_lock(&m); if (y) free(a); pthread_mutex_unlock(&m); return 0; } " + begins + "pthread_t u; pthread_create(&u, 0, g, c); pthread_mutex_unlock(&m); return 0; }", "UNSAFE"},
		{"freed when who waits has been woken", pointer + waits + begins + "int r = y; if (r) { pthread_cond_signal(c); free(c); } pthread_mutex_unlock(&m); return 0; }", "SAFE"},
		{"freed when who waits has been woken, and destroyed", pointer + waits + begins + "int r = y; if (r) { pthread_cond_broadcast(c); pthread_cond_destroy(c); free(c); } pthread_mutex_unlock(&m); return 0; }", "SAFE"},
		{"freed when one of two has been woken", pointer + strings.Replace(waits, "y = 1", "y++", 1) + begins + "pthread_t u; pthread_mutex_unlock(&m); pthread_create(&u, 0, f, 0); pthread_mutex_lock(&m); if (y == 2) { pthread_cond_signal(c); free(c); } pthread_mutex_unlock(&m); return 0; }", "UNSAFE"},
		{"freed when nobody waits", pointer + strings.Replace(waits, "&m); pthread_mutex_unlock", "&m); y = 2; pthread_mutex_unlock", 1) + begins + "if (y == 2) free(c); pthread_mutex_unlock(&m); return 0; }", "SAFE"},
		{"freed when who waits has been waited for", pointer + waits + begins + "pthread_mutex_unlock(&m); pthread_join(t, 0); free(c); return 0; }", "SAFE"},
		{"freed when one of two has been waited for", pointer + waits + "void *g(void *a) { return 0; } int main(void) { pthread_t t[2]; c = malloc(sizeof *c); pthread_cond_init(c, 0); for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, i ? f : g, 0); pthread_join(t[rand() & 1], 0); pthread_mutex_lock(&m); if (y) free(c); pthread_mutex_unlock(&m); return 0; }", "UNSAFE"},
		{"freed when both have been waited for", pointer + waits + "int main(void) { pthread_t t[2]; c = malloc(sizeof *c); pthread_cond_init(c, 0); for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, f, 0); for (int i = 1; i >= 0; i--) pthread_join(t[i], 0); pthread_cond_destroy(c); free(c); return 0; }", "SAFE"},
		{"freed when the last of two has been waited for", pointer + waits + "int main(void) { pthread_t t[2]; c = malloc(sizeof *c); pthread_cond_init(c, 0); for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, f, 0); for (int i = 1; i < 2; i++) pthread_join(t[i], 0); free(c); return 0; }", "UNSAFE"},
		{"freed in a structure", pair + "void *f(void *a) { struct s *p = a; pthread_mutex_lock(&p->m); while (!p->x) pthread_cond_wait(&p->c, &p->m); pthread_mutex_unlock(&p->m); return 0; } int main(void) { pthread_t t; s[0] = make(); pthread_create(&t, 0, f, s[0]); free(s[0]); return 0; }", "UNSAFE"},
		{"another one is freed", pair + "void *f(void *a) { struct s *p = s[0]; pthread_mutex_lock(&p->m); while (!p->x) pthread_cond_wait(&s[0]->c, &s[0]->m); pthread_mutex_unlock(&p->m); return 0; } int main(void) { pthread_t t; s[0] = make(); s[1] = make(); pthread_create(&t, 0, f, 0); free(s[1]); return 0; }", "SAFE"},
		{"one of several is freed", pair + "void *f(void *a) { struct s *p = s[1]; pthread_mutex_lock(&p->m); p->x = 1; pthread_cond_wait(&p->c, &p->m); pthread_mutex_unlock(&p->m); return 0; } int main(void) { pthread_t t; s[0] = make(); s[1] = make(); pthread_create(&t, 0, f, 0); pthread_mutex_lock(&s[1]->m); int r = s[1]->x; pthread_mutex_unlock(&s[1]->m); if (r) { struct s *p = s[rand() & 1]; free(p); } return 0; }", "UNSAFE"},
		{"a block that is left", pointer + waits + "int main(void) { pthread_t t; { pthread_cond_t k = PTHREAD_COND_INITIALIZER; c = &k; pthread_create(&t, 0, f, 0); for (int r = 0; !r; ) { pthread_mutex_lock(&m); r = y; pthread_mutex_unlock(&m); } } return 0; }", "UNSAFE"},
		{"a function that returns", pointer + waits + "void h(void) { pthread_t t; pthread_cond_t k = PTHREAD_COND_INITIALIZER; c = &k; pthread_create(&t, 0, f, 0); for (int r = 0; !r; ) { pthread_mutex_lock(&m); r = y; pthread_mutex_unlock(&m); } } int main(void) { h(); return 0; }", "UNSAFE"},
		{"a block that is left when who waits has been woken", pointer + waits + "int main(void) { pthread_t t; { pthread_cond_t k = PTHREAD_COND_INITIALIZER; c = &k; pthread_create(&t, 0, f, 0); pthread_mutex_lock(&m); int r = y; if (r) pthread_cond_signal(&k); pthread_mutex_unlock(&m); if (!r) exit(0); } return 0; }", "SAFE"},
		{"a part of a union in a block that is left", pointer + waits + "int main(void) { pthread_t t; { union { long x; pthread_cond_t k; } u; u.x = 0; pthread_cond_init(&u.k, 0); c = &u.k; pthread_create(&t, 0, f, 0); pthread_mutex_lock(&m); int r = y; pthread_mutex_unlock(&m); if (!r) exit(0); } return 0; }", "UNSAFE"},
		{"on the stack, when the function has returned", pointer + waits + "void h(void) { pthread_t t; c = alloca(sizeof *c); pthread_cond_init(c, 0); pthread_create(&t, 0, f, 0); pthread_mutex_lock(&m); int r = y; pthread_mutex_unlock(&m); if (!r) exit(0); } int main(void) { h(); return 0; }", "UNSAFE"},
		{"signalled when it has been freed", pair + "void *f(void *a) { struct s *p = a; pthread_mutex_lock(&p->m); p->x = 1; pthread_mutex_unlock(&p->m); pthread_cond_signal(&p->c); return 0; } int main(void) { pthread_t t; struct s *p = make(); pthread_create(&t, 0, f, p); pthread_mutex_lock(&p->m); while (!p->x) pthread_cond_wait(&p->c, &p->m); pthread_mutex_unlock(&p->m); free(p); return 0; }", "UNSAFE"},
		{"signalled before it is freed", pair + "void *f(void *a) { struct s *p = a; pthread_mutex_lock(&p->m); p->x = 1; pthread_cond_signal(&p->c); pthread_mutex_unlock(&p->m); return 0; } int main(void) { pthread_t t; struct s *p = make(); pthread_create(&t, 0, f, p); pthread_mutex_lock(&p->m); while (!p->x) pthread_cond_wait(&p->c, &p->m); pthread_mutex_unlock(&p->m); pthread_join(t, 0); free(p); return 0; }", "SAFE"},
		{"signalled when its block has been left", pointer + "void g(void) { pthread_cond_t k = PTHREAD_COND_INITIALIZER; c = &k; } int main(void) { g(); pthread_cond_signal(c); return 0; }", "UNSAFE"},
		{"broadcast to nobody", pointer + "int main(void) { pthread_cond_broadcast(c); return 0; }", "UNSAFE"},
		{"waited for when it has been freed", pointer + waits + "int main(void) { c = malloc(sizeof *c); pthread_cond_init(c, 0); free(c); f(0); return 0; }", "UNSAFE"},
		{"initialised again", pointer + waits + begins + "if (y) pthread_cond_init(c, 0); pthread_mutex_unlock(&m); return 0; }", "UNSAFE"},
		{"initialised again, which has a name", mutexes + "pthread_cond_t k = PTHREAD_COND_INITIALIZER, *c = &k; int y; " + waits + "int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); pthread_mutex_lock(&m); if (y) pthread_cond_init(&k, 0); pthread_mutex_unlock(&m); return 0; }", "UNSAFE"},
		{"initialised again by another thread", pointer + waits + "void *g(void *a) { pthread_mutex_lock(&m); if (y) pthread_cond_init(a, 0); pthread_mutex_unlock(&m); return 0; } " + begins + "pthread_t u; pthread_create(&u, 0, g, c); pthread_mutex_unlock(&m); return 0; }", "UNSAFE"},
		{"initialised again when who waits has been woken", pointer + waits + begins + "if (y) { pthread_cond_signal(c); pthread_cond_init(c, 0); } pthread_mutex_unlock(&m); return 0; }", "SAFE"},
		{"initialised again when who waits has been woken, and destroyed", pointer + waits + begins + "if (y) { pthread_cond_broadcast(c); pthread_cond_destroy(c); pthread_cond_init(c, 0); } pthread_mutex_unlock(&m); return 0; }", "SAFE"},
		{"initialised when who waits has been waited for", pointer + waits + begins + "pthread_mutex_unlock(&m); pthread_join(t, 0); pthread_cond_init(c, 0); return 0; }", "SAFE"},
		{"another one is initialised", pointer + waits + begins + "pthread_cond_t k, *p = malloc(sizeof *p); pthread_cond_init(&k, 0); pthread_cond_init(p, 0); pthread_cond_signal(p); pthread_mutex_unlock(&m); return 0; }", "SAFE"},
		{"memory is initialised, of which only some is waited for", pair + "void *f(void *a) { struct s *p = make(); if (a) { pthread_mutex_lock(&m); s[0] = p; pthread_mutex_unlock(&m); } else { pthread_mutex_lock(&m); struct s *q = s[0]; pthread_mutex_unlock(&m); if (q) { pthread_mutex_lock(&q->m); pthread_cond_wait(&q->c, &q->m); pthread_mutex_unlock(&q->m); } } return 0; } int main(void) { pthread_t t, u; pthread_create(&t, 0, f, &t); pthread_create(&u, 0, f, 0); pthread_join(t, 0); pthread_join(u, 0); return 0; }", "SAFE"},
		{"memory is initialised that held something else", pair + "void *f(void *a) { pthread_mutex_lock(&m); while (!s[0]) pthread_cond_wait(a, &m); pthread_mutex_unlock(&m); return 0; } int main(void) { pthread_t t; pthread_cond_t k; pthread_cond_init(&k, 0); pthread_create(&t, 0, f, &k); struct s *p = malloc(sizeof *p); memset(p, 7, sizeof *p); pthread_cond_init(&p->c, 0); pthread_mutex_lock(&m); s[0] = p; pthread_cond_signal(&k); pthread_mutex_unlock(&m); pthread_join(t, 0); return 0; }", "SAFE"},
		{"initialised again, or another one that held something else", pointer + waits + begins + "pthread_cond_t *q = malloc(sizeof *q); memset(q, 7, sizeof *q); pthread_cond_init(y ? q : c, 0); pthread_mutex_unlock(&m); return 0; }", "SAFE"},
		{"one of a thread's own in each round", pair + "struct s *at; void *f(void *a) { for (int i = 0; i < 2; i++) { pthread_cond_t k; pthread_cond_init(&k, 0); struct s *p = make(); pthread_mutex_lock(&m); if (!at) at = p; else pthread_cond_signal(&at->c); pthread_mutex_unlock(&m); pthread_cond_signal(&k); } return 0; } int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); pthread_mutex_lock(&m); if (at) pthread_cond_wait(&at->c, &m); pthread_mutex_unlock(&m); pthread_join(t, 0); return 0; }", "SAFE"},
		{"two mutexes", mutexes + "pthread_cond_t c = PTHREAD_COND_INITIALIZER; void *f(void *a) { pthread_mutex_lock(&m); pthread_cond_wait(&c, &m); pthread_mutex_unlock(&m); return 0; } void *g(void *a) { pthread_mutex_lock(&n); pthread_cond_wait(&c, &n); pthread_mutex_unlock(&n); return 0; } int main(void) { pthread_t t, u; pthread_create(&t, 0, f, 0); pthread_create(&u, 0, g, 0); return 0; }", "UNSAFE"},
		{"two mutexes by pointers", mutexes + "pthread_cond_t c = PTHREAD_COND_INITIALIZER; void *f(void *a) { pthread_mutex_lock(a); pthread_cond_wait(&c, a); pthread_mutex_unlock(a); return 0; } int main(void) { pthread_t t, u; pthread_create(&t, 0, f, &m); pthread_create(&u, 0, f, &n); return 0; }", "UNSAFE"},
		{"one mutex by a pointer", mutexes + "pthread_cond_t c = PTHREAD_COND_INITIALIZER; pthread_mutex_t *p = &m; void *f(void *a) { pthread_mutex_lock(p); pthread_cond_wait(&c, p); pthread_mutex_unlock(p); return 0; } int main(void) { pthread_t t, u; pthread_create(&t, 0, f, 0); pthread_create(&u, 0, f, 0); return 0; }", "SAFE"},
		{"two mutexes, one after the other", mutexes + "pthread_cond_t c = PTHREAD_COND_INITIALIZER; int x; void *f(void *a) { pthread_mutex_lock(&m); while (!x) pthread_cond_wait(&c, &m); pthread_mutex_unlock(&m); pthread_mutex_lock(&n); while (x != 2) pthread_cond_wait(&c, &n); pthread_mutex_unlock(&n); return 0; } int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); pthread_mutex_lock(&m); x = 1; pthread_cond_signal(&c); pthread_mutex_unlock(&m); pthread_join(t, 0); return 0; }", "SAFE"},
		{"two mutexes, one when nobody waits with the other any more", mutexes + "pthread_cond_t c = PTHREAD_COND_INITIALIZER; int x; void *f(void *a) { pthread_mutex_lock(&m); pthread_cond_wait(&c, &m); x = 1; pthread_mutex_unlock(&m); return 0; } int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); pthread_mutex_lock(&m); int r = x; pthread_mutex_unlock(&m); if (r) { pthread_mutex_lock(&n); pthread_cond_wait(&c, &n); pthread_mutex_unlock(&n); } return 0; }", "SAFE"},
		{"each its own mutex and condition", pair + "void *f(void *a) { pthread_mutex_lock(&s[0]->m); while (!s[0]->x) pthread_cond_wait(&s[0]->c, &s[0]->m); pthread_mutex_unlock(&s[0]->m); return 0; } void *g(void *a) { pthread_mutex_lock(&s[1]->m); while (!s[1]->x) pthread_cond_wait(&s[1]->c, &s[1]->m); pthread_mutex_unlock(&s[1]->m); return 0; } " + two, "SAFE"},
		{"one has the condition of the other", pair + "void *f(void *a) { pthread_mutex_lock(&s[0]->m); while (!s[0]->x) pthread_cond_wait(&s[0]->c, &s[0]->m); pthread_mutex_unlock(&s[0]->m); return 0; } void *g(void *a) { pthread_mutex_lock(&s[1]->m); while (!s[1]->x) pthread_cond_wait(&s[0]->c, &s[1]->m); pthread_mutex_unlock(&s[1]->m); return 0; } " + two, "UNSAFE"},
	} {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			text := "#include <alloca.h>\n#include <assert.h>\n#include <pthread.h>\n#include <stdlib.h>\n#include <string.h>\n" + s.body
			underModels(t, text, s.want, memory.SC, memory.TSO, memory.RC11)
		})
	}
}

// TestWaitedForNothing sees that programs are no larger where it makes no difference who waits.
func TestWaitedForNothing(t *testing.T) {
	t.Parallel()
	const pool = `#include <pthread.h>
#include <stdlib.h>
struct pool { pthread_mutex_t m; pthread_cond_t c; struct task { struct task *next; } *first; } *p;
void *work(void *a) {
	pthread_mutex_lock(&p->m);
	while (!p->first) pthread_cond_wait(&p->c, &p->m);
	struct task *t = p->first;
	p->first = t->next;
	pthread_mutex_unlock(&p->m);
	free(t);
	return 0;
}
int main(void) {
	pthread_t t[2];
	p = calloc(1, sizeof *p);
	for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, work, 0);
	for (int i = 0; i < 2; i++) {
		struct task *t = malloc(sizeof *t);
		pthread_mutex_lock(&p->m);
		t->next = p->first;
		p->first = t;
		pthread_cond_signal(&p->c);
		pthread_mutex_unlock(&p->m);
	}
	for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
	free(p);
}`
	for _, s := range []struct {
		name, text string
		known      bool
	}{
		{"tasks are freed", pool, false},
		{"perhaps the pool is freed", strings.Replace(pool, "free(t);", "free(rand() ? (void *)p : t);", 1), true},
		{"signals are counted on", pool, true},
	} {
		p := read(t, "main.c", s.text, c.Options{Signals: s.name == "signals are counted on"})
		known := false
		for _, cell := range p.Memory {
			known = known || strings.Contains(cell.Name, "woken")
		}
		if known != s.known {
			t.Errorf("%s: it is known who waits: %v, want %v", s.name, known, s.known)
		}
	}
}
