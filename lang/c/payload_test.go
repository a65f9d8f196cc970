package c_test

import (
	"testing"

	"github.com/fencepost-verifier/fencepost/lang/c"
	"github.com/fencepost-verifier/fencepost/memory"
)

// What programs keep behind a structure, in the memory that they have made for both.
const (
	// payload is a stack of nodes with a payload; PUT puts in there, and GET takes v out of it.
	payload = `struct node { struct node *next; int len; };
struct node *head; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *push(void *a) { int in = 7; struct node *n = malloc(sizeof *n + sizeof(int)); n->len = 4; PUT;
	pthread_mutex_lock(&m); n->next = head; head = n; pthread_mutex_unlock(&m); return 0; }
int main(void) { pthread_t t; pthread_create(&t, 0, push, 0); pthread_mutex_lock(&m); struct node *n = head; pthread_mutex_unlock(&m);
	if (n) { int v; GET; assert(v == WANT); } pthread_join(t, 0); return 0; }`
	// hollow has bytes between its members.
	hollow = "struct h { char c; int i; }; "
	// messages is a queue of what has any size.
	messages = `struct msg { struct msg *next; size_t len; } *first, **last = &first; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; pthread_cond_t c = PTHREAD_COND_INITIALIZER;
void push(const void *data, size_t len) { struct msg *x = malloc(ROOM); x->next = 0; x->len = len; memcpy(x + 1, data, len);
	pthread_mutex_lock(&m); *last = x; last = &x->next; pthread_cond_signal(&c); pthread_mutex_unlock(&m); }
size_t pop(void *to, size_t room) { pthread_mutex_lock(&m); while (!first) pthread_cond_wait(&c, &m); struct msg *x = first; first = x->next; if (!first) last = &first; pthread_mutex_unlock(&m);
	size_t n = x->len; if (n > room) n = room; memcpy(to, x + 1, n); free(x); return n; }
void *send(void *a) { push("hello", 5); push("abc", 3); return 0; }
int main(void) { pthread_t t; pthread_create(&t, 0, send, 0); char b[8]; size_t n = pop(b, sizeof b); assert(n == 5 && b[0] == 'h' && b[4] == 'o');
	n = pop(b, sizeof b); assert(n == 3 && b[1] == WANT); pthread_join(t, 0); return 0; }`
	// text is a string behind a structure.
	text = `struct s { struct s *next; size_t len; }; struct s *make(const void *d, size_t n) { struct s *s = malloc(sizeof *s + n); s->len = n; memcpy(s + 1, d, n); return s; }
void *f(void *a) { struct s *s = a; assert(!memcmp(s + 1, "abc", 4)); assert(!strcmp((char *)(s + 1), OTHER ? "abd" : "abc")); free(s); return 0; }
int main(void) { pthread_t t; struct s *s = make("abc", 4); pthread_create(&t, 0, f, s); pthread_join(t, 0); return 0; }`
	// arrays are three in one memory.
	arrays = `long *b; size_t n = 3; void *f(void *x) { b[LAST] = 5; return 0; }
	int main(void) { char *p = malloc(n * sizeof(int) + 4 + n * sizeof(long) + n); int *a = (int *)p; b = (long *)(p + 16); char *c = p + 40;
	pthread_t t; pthread_create(&t, 0, f, 0); a[2] = 1; c[2] = 2; pthread_join(t, 0); assert(a[2] == 1 && b[2] == 5 && c[2] == 2); return 0; }`
)

// arena is a list in memory from a static array; ALLOC takes n bytes of it.
const arena = `static _Alignas(8) char pool[64]; char *top = pool; size_t off; atomic_size_t used; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, lm = PTHREAD_MUTEX_INITIALIZER;
void *get(size_t n) { n = (n + 7) & ~(size_t)7; ALLOC }
struct node { struct node *next; int v; } *list;
void *push(void *a) { struct node *n = get(sizeof *n); if (!n) return 0; n->v = a ? 1 : 2; pthread_mutex_lock(&lm); n->next = list; list = n; pthread_mutex_unlock(&lm); return 0; }
int main(void) { pthread_t t, s; pthread_create(&t, 0, push, 0); pthread_create(&s, 0, push, &s); pthread_join(t, 0); pthread_join(s, 0); int sum = 0; for (struct node *n = list; n; n = n->next) sum += n->v; assert(sum == WANT); return 0; }`

const (
	byOffset   = "#define ALLOC pthread_mutex_lock(&m); void *p = 0; size_t o = off; if (o + n <= sizeof pool) { p = pool + o; off = o + n; } pthread_mutex_unlock(&m); return p;\n"
	byPointer  = "#define ALLOC pthread_mutex_lock(&m); char *p = top; if (p + n > pool + sizeof pool) p = 0; else top = p + n; pthread_mutex_unlock(&m); return p;\n"
	byAdding   = "#define ALLOC size_t o = atomic_fetch_add(&used, n); if (o + n > sizeof pool) return 0; return pool + o;\n"
	byExchange = "#define ALLOC size_t o = atomic_load(&used); do { if (o + n > sizeof pool) return 0; } while (!atomic_compare_exchange_weak(&used, &o, o + n)); return pool + o;\n"
	past       = "#define ALLOC size_t o = atomic_fetch_add(&used, n); if (o + n > sizeof pool + 16) return 0; return pool + 48 + o;\n"
)

func TestPayload(t *testing.T) {
	for _, s := range []snippet{
		{"copied there and back", "#define PUT memcpy(n + 1, &in, 4)\n#define GET memcpy(&v, n + 1, 4)\n#define WANT 7\n" + payload, "SAFE"},
		{"copied there and back, and another number", "#define PUT memcpy(n + 1, &in, 4)\n#define GET memcpy(&v, n + 1, 4)\n#define WANT 8\n" + payload, "UNSAFE"},
		{"copied there", "#define PUT memcpy(n + 1, &in, sizeof in)\n#define GET v = *(int *)(n + 1)\n#define WANT 7\n" + payload, "SAFE"},
		{"copied beside it", "#define PUT memcpy((char *)(n + 1) + 1, &in, sizeof in)\n#define GET v = 7\n#define WANT 7\n" + payload, "UNSAFE"},
		{"the last byte behind the end", "#define PUT *(int *)((char *)(n + 1) + 1) = in\n#define GET v = 7\n#define WANT 7\n" + payload, "UNSAFE"},
		{"more than there is room for", "#define PUT memcpy(n + 1, (int[2]){1, 2}, 8)\n#define GET v = 7\n#define WANT 7\n" + payload, "UNSAFE"},
		{"messages", "#define ROOM sizeof *x + len\n#define WANT 'b'\n" + messages, "SAFE"},
		{"messages, and another letter", "#define ROOM sizeof *x + len\n#define WANT 'c'\n" + messages, "UNSAFE"},
		{"messages without room for the header", "#define ROOM len\n#define WANT 'b'\n" + messages, "UNSAFE"},
		{"memory for a pointer in the place of a structure", `struct s { int a; long b; }; int main(void) { struct s *p = malloc(sizeof p); p->a = 1; assert(p->a == 1); p->b = 2; return 0; }`, "UNSAFE"},
		{"memory for the beginning of a structure", `struct s { int a; long b; }; int main(void) { struct s *p = malloc(sizeof p); p->a = 1; assert(p->a == 1); return 0; }`, "SAFE"},
		{"memory for the members of a structure, and not for what is behind them", `struct s { int a; char c; }; int main(void) { struct s *p = malloc(5), x = { 1, 2 }; *p = x; return 0; }`, "UNKNOWN"},
		{"one memory for several arrays", "#define LAST 2\n" + arrays, "SAFE"},
		{"one memory for several arrays, past the last", "#define LAST 3\n" + arrays, "UNSAFE"},
		{"elements of arrays are copied to the next ones", `struct s { int a; long b; } x[3] = { { 1, 2 }, { 3, 4 } }; int main(void) { memmove(x + 1, x, 2 * sizeof *x); assert(x[2].b == 4 && x[1].a == 1); memcpy(x + 2, x, sizeof(struct s)); assert(x[2].b == 2); memset(x + 1, 0, sizeof *x); assert(!x[1].b && x[2].b == 2); return 0; }`, "SAFE"},
		{"as many bytes as there are before a gap", hollow + `int main(void) { struct h *p = malloc(sizeof *p + 2); p->c = 1; unsigned char b[3] = { 1, 2, 3 }; memcpy(&p[1], b, 3 * sizeof(char)); return 0; }`, "UNSAFE"},
		{"bytes that lie where a structure has a gap", hollow + `int main(void) { struct h *p = malloc(sizeof *p + 3); p->c = 1; unsigned char b[3] = { 1, 2, 3 }; memcpy(&p[1], b, 3 * sizeof(char)); assert(((char *)(p + 1))[2] == 3); return 0; }`, "SAFE"},
		{"bytes that lie where a structure has a gap, by a function", hollow + `void put(void *to, const void *from, size_t n) { memcpy(to, from, n); } int main(void) { struct h *p = malloc(sizeof *p + 8); p->c = 1; unsigned char b[8] = { 1, 2, 3 }; put(p + 1, b, 8); assert(((char *)(p + 1))[2] == 3); return 0; }`, "SAFE"},
		{"a structure and numbers, copied together", hollow + `int main(void) { struct h *p = malloc(sizeof *p + 2 * sizeof(int)), *q = malloc(sizeof *p + 2 * sizeof(int)); p->c = 1; int *a = (int *)(p + 1); a[0] = 1000; a[1] = 2000; memcpy(q, p, sizeof *p + 2 * sizeof(int)); int *b = (int *)(q + 1); assert(q->c == 1 && b[0] == 1000 && b[1] == 2000); return 0; }`, "SAFE"},
		{"a structure and numbers, cleared together", hollow + `int main(void) { struct h *p = malloc(sizeof *p + 2 * sizeof(int)); memset(p, 1, 16); int *a = (int *)(p + 1); assert(a[0] == 0x1010101); return 0; }`, "SAFE"},
		{"realloc of what is behind a structure", hollow + `int main(void) { struct h *p = calloc(1, sizeof *p + 8); short *a = (short *)(p + 1); a[1] = 7; p = realloc(p, sizeof *p + 4); a = (short *)(p + 1); assert(a[0] == 0 && a[1] == 7); p = realloc(p, sizeof *p + 6); a = (short *)(p + 1); a[2] = 1; assert(a[1] == 7); return 0; }`, "SAFE"},
		{"realloc of what is behind a structure, and another number", hollow + `int main(void) { struct h *p = calloc(1, sizeof *p + 8); short *a = (short *)(p + 1); a[1] = 7; p = realloc(p, sizeof *p + 4); a = (short *)(p + 1); assert(a[1] == 0); return 0; }`, "UNSAFE"},
		{"structures with gaps are copied and grow", hollow + `int main(void) { int n = 2; struct h *p = malloc(n * sizeof *p); p[1].i = 5; p = realloc(p, (n + 1) * sizeof *p); assert(p[1].i == 5); p[2].c = 3; struct h q[3]; memcpy(q, p, sizeof q); assert(q[2].c == 3 && q[1].i == 5); return 0; }`, "SAFE"},
		{"bit-fields whose bytes are fewer than those of their type", `struct __attribute__((packed)) s { int a : 24; }; int main(void) { struct s *p = malloc(sizeof *p); p->a = 5; assert(p->a == 5); return 0; }`, "SAFE"},
		{"text behind a structure", "#define OTHER 0\n" + text, "SAFE"},
		{"text behind a structure, and another one", "#define OTHER 1\n" + text, "UNSAFE"},
		{"an arena by offsets", "#define WANT 3\n" + byOffset + arena, "SAFE"},
		{"an arena by offsets, and another sum", "#define WANT 2\n" + byOffset + arena, "UNSAFE"},
		{"an arena by a pointer", "#define WANT 3\n" + byPointer + arena, "SAFE"},
		{"an arena by a pointer, and another sum", "#define WANT 2\n" + byPointer + arena, "UNSAFE"},
		{"an arena by an atomic sum", "#define WANT 3\n" + byAdding + arena, "SAFE"},
		{"an arena by an exchange", "#define WANT 3\n" + byExchange + arena, "SAFE"},
		{"an arena by an exchange, and another sum", "#define WANT 2\n" + byExchange + arena, "UNSAFE"},
		{"an arena that is too small", "#define WANT 3\n" + past + arena, "UNSAFE"},
	} {
		for _, m := range []memory.Model{memory.SC, memory.TSO} {
			t.Run(s.name+", "+string(m), func(t *testing.T) {
				t.Parallel()
				text := "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n#include <stdlib.h>\n#include <string.h>\n" + s.body
				if got := verdictOf(t, read(t, "main.c", text, c.Options{}), m, "auto"); got != s.want {
					t.Errorf("%s, want %s", got, s.want)
				}
			})
		}
	}
}
