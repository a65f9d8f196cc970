package c_test

import (
	"testing"

	"github.com/fencepost-verifier/fencepost/lang/c"
	"github.com/fencepost-verifier/fencepost/memory"
)

// TestObserved: parts of an expression of which another thread can tell the order are evaluated in any.
func TestObserved(t *testing.T) {
	const before = `#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
atomic_int data, flag; volatile int v, w; int plain[4]; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *writer(void *x) { data = 1; flag = 1; return 0; }
void *painter(void *x) { v = 1; w = 1; return 0; }
int look(int f, int d) { return f && !d; }
int get(int i) { pthread_mutex_lock(&m); int x = plain[i]; pthread_mutex_unlock(&m); return x; }
int peek(int i) { return plain[i]; }
void *reader(void *x) { int second = w, first = v; assert(first || !second); return 0; }
void *setter(void *x) { for (int i = 0; i < 2; i++) { pthread_mutex_lock(&m); plain[i] = 1; pthread_mutex_unlock(&m); } return 0; }
atomic_int one, two; int a[2] = {2, 3};
void *other(void *x) { atomic_exchange(&two, 1); int r = one; return (void *)(long)r; }
`
	with := func(thread, body string) string {
		return "int main(void) { pthread_t t; void *r = 0; pthread_create(&t, 0, " + thread + ", 0); " + body + " pthread_join(t, &r); return 0; }"
	}
	for _, s := range []snippet{
		{"arguments", with("writer", `int x = look(atomic_load(&flag), atomic_load(&data)); assert(!x);`), "UNSAFE"},
		{"arguments one after the other", with("writer", `int f = flag, d = data; assert(!look(f, d));`), "SAFE"},
		{"operands", with("writer", `int x = 2 * flag + data; assert(x != 2);`), "UNSAFE"},
		{"operands in brackets", with("writer", `int x = (flag * 2) + (1 + data); assert(x != 3);`), "UNSAFE"},
		{"a comparison", with("writer", `int x = flag > data; assert(!x);`), "UNSAFE"},
		{"what is in order", with("writer", `int x = flag && !data; assert(!x);`), "SAFE"},
		{"what is volatile", with("painter", `int x = look(w, v); assert(!x);`), "UNSAFE"},
		{"what is volatile, from the right", with("painter", `int x = look(v, w); assert(v || !x);`), "SAFE"},
		{"an index", with("writer", `int x = a[flag] * 0 + (a + flag)[-data]; assert(x == 3 || x == 2);`), "UNKNOWN"},
		{"an index and what is assigned", with("writer", `plain[flag] = 1 + data; assert(plain[1] != 1);`), "UNSAFE"},
		{"what is assigned with an operation", with("painter", `v += w; assert(1);`), "SAFE"},
		{"a value that is read, and one that is added", with("painter", `int x = 0; int y = (w, 0); x = w; x += 2 * v; assert(x != 1 || y == 0);`), "SAFE"},
		{"functions", with("setter", `int x = look(get(1), get(0)); assert(!x);`), "UNSAFE"},
		{"functions one after the other", with("setter", `int f = get(1), d = get(0); assert(!look(f, d));`), "SAFE"},
		{"functions, without locks", with("setter", `int x = look(peek(1), peek(0)); assert(!x);`), "UNSAFE"},
		{"stores", `int main(void) { pthread_t t; pthread_create(&t, 0, reader, 0); look((v = 1), (w = 1)); return 0; }`, "UNSAFE"},
		{"stores one after the other", `int main(void) { pthread_t t; pthread_create(&t, 0, reader, 0); v = 1; w = 1; return 0; }`, "SAFE"},
		{"plain values, with what tells whether they are set", `int r[2]; void *first(void *x) { r[0] = 1; return 0; } void *second(void *x) { r[1] = 1; return 0; } int main(void) { pthread_t t[2]; pthread_create(&t[0], 0, first, 0); pthread_create(&t[1], 0, second, 0); assert(r[0] + r[1] < 3); for (int i = 0; i < 2; i++) pthread_join(t[i], 0); assert(r[0] + r[1] > 0); return 0; }`, "SAFE"},
		{"a function of the library", with("writer", `char b[8]; sprintf(b, "%d%d", (int)flag, (int)data); assert(b[0] == '0' || b[1] == '1');`), "UNKNOWN"},
		{"a place and a value for the library", with("writer", `int x[2] = {0}; atomic_int y[2] = {0}; atomic_store(&y[flag], 1 + data); assert(y[1] != 1);`), "UNKNOWN"},
		{"a place and a value, without others", with("writer", `atomic_int y[2] = {0}; atomic_store(&y[flag], 1 + one); assert(y[1] < 2);`), "SAFE"},
		{"a place where that is not written out", with("writer", `int x = look(look(flag, 0), look(data, 0) + data); assert(!x);`), "UNKNOWN"},
		{"what nobody writes", with("writer", `int x = look(one, two) + look(flag, 1); assert(!x);`), "SAFE"},
		{"what one alone is written by others", with("writer", `int x = look(flag, one + 1) + one; assert(!x);`), "SAFE"},
		{"after the others", `int main(void) { pthread_t t; pthread_create(&t, 0, writer, 0); pthread_join(t, 0); assert(flag + data + flag + data + flag == 5); return 0; }`, "SAFE"},
		{"before the others", `int main(void) { pthread_t t; assert(flag + data + flag + data + flag == 0); pthread_create(&t, 0, writer, 0); return 0; }`, "SAFE"},
		{"one of which is a store", `int main(void) { pthread_t t; void *r; pthread_create(&t, 0, other, 0); int x = look(1 - atomic_exchange(&one, 1), atomic_load(&two)); pthread_join(t, &r); assert(!(x && !r)); return 0; }`, "UNSAFE"},
		{"a store before", `int main(void) { pthread_t t; void *r; pthread_create(&t, 0, other, 0); int y = atomic_exchange(&one, 1), x = look(1 - y, atomic_load(&two)); pthread_join(t, &r); assert(!(x && !r)); return 0; }`, "SAFE"},
		{"a count of what others write", `void *counter(void *x) { int d = atomic_load(&flag) == 1 ? data : 1; assert(d); return 0; } int main(void) { pthread_t t; pthread_create(&t, 0, counter, 0); look(atomic_exchange(&data, 1), atomic_exchange(&flag, 1)); return 0; }`, "UNSAFE"},
		{"structures", `struct pair { int x; } p[2], q[2] = {{5}, {6}}; ` + with("writer", `p[flag] = q[data]; assert(p[1].x != 5);`), "UNSAFE"},
		{"an initialiser", with("writer", `int x[2] = {flag, data}; assert(!x[0] || x[1]);`), "UNKNOWN"},
		{"an initialiser, in lists", with("writer", `struct { int x[2], y[2]; } x = {{flag, 1}, .y = {1, data}}; assert(!x.x[0] || x.y[1]);`), "UNKNOWN"},
		{"an initialiser of what nobody writes", with("writer", `int x[2] = {one, two}; assert(!x[0] || x[1]);`), "SAFE"},
		{"a function that is found", `int no(int x) { return 0; } int not(int x) { return !x; } int (*table[2])(int) = {no, not}; ` + with("writer", `int x = table[flag](data); assert(!x);`), "UNKNOWN"},
		{"a function that is found, for nobody", `int no(int x) { return 0; } int not(int x) { return !x; } int (*table[2])(int) = {no, not}; ` + with("writer", `int x = table[one](data); assert(!x);`), "SAFE"},
		{"before a thread is made, or after", `int main(void) { pthread_t t; int x = flag + pthread_create(&t, 0, writer, 0); assert(!x); return 0; }`, "UNSAFE"},
		{"after a thread is waited for, or before", `int main(void) { pthread_t t; pthread_create(&t, 0, writer, 0); int x = pthread_join(t, 0) + flag; assert(x); return 0; }`, "UNSAFE"},
		{"what is plain beside an unlock", `void *both(void *x) { pthread_mutex_lock(&m); plain[0] = 1; plain[0] = 0; pthread_mutex_unlock(&m); return 0; } ` + with("both", `pthread_mutex_lock(&m); int x = plain[0] + pthread_mutex_unlock(&m); assert(!x);`), "UNSAFE"},
		{"what is plain beside what is atomic", `void *asks(void *x) { if (flag) assert(plain[0]); return 0; } ` + with("asks", `look((plain[0] = 1), atomic_exchange(&flag, 1));`), "UNSAFE"},
		{"what is plain before what is atomic", `void *asks(void *x) { if (flag) assert(plain[0]); return 0; } ` + with("asks", `plain[0] = 1; atomic_exchange(&flag, 1);`), "SAFE"},
		{"a function that gives nothing back", `void *asks(void *x) { int d = data; assert(!d); return 0; } int stay(void) { while (1); return 0; } ` + with("asks", `look(stay(), (data = 1));`), "UNSAFE"},
		{"a function that ends its thread", `void *asks(void *x) { int d = data; assert(!d); return 0; } ` + with("asks", `look((pthread_exit(0), 1), (data = 1));`), "UNSAFE"},
		{"a function that waits for what does not come", `void *asks(void *x) { int d = data; assert(!d); return 0; } int wait(void) { while (!flag); return 0; } ` + with("asks", `look(wait(), (data = 1));`), "UNSAFE"},
		{"an access after a call", `int set(int i, int x) { pthread_mutex_lock(&m); plain[i] = x; pthread_mutex_unlock(&m); return x; } void *sets(void *x) { v = 1; return 0; } ` + with("sets", `int x = look(get(1) + v, set(1, 2) - v); assert(x < 2);`), "UNKNOWN"},
		{"what one tells apart, and what others do", `int tell(int x) { w = x; return x; } ` + with("setter", `int x = look(get(0) + tell(2), get(0) + w); assert(x < 2);`), "UNKNOWN"},
	} {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			if got := verdictOf(t, read(t, "main.c", before+s.body, c.Options{Uninitialised: s.name == "plain values, with what tells whether they are set"}), memory.TSO, "auto"); got != s.want {
				t.Errorf("%s, want %s", got, s.want)
			}
		})
	}
}
