// A sequence lock whose data are plain variables, as it was written before C had atomics.
//
// From: H.-J. Boehm, Can seqlocks get along with programming language memory models?, MSPC
// 2012, which says why they cannot.
// Client: a writer that updates x and y once, and a reader that tries once.
// Property: no torn read - what the reader accepts is from one update.
// SC:  SAFE
// TSO: SAFE. Stores reach memory in their order and loads are done in theirs.
// PSO: UNSAFE. Nothing keeps the stores of the data between those of the number.
// Data races: UNSAFE. The reader reads while the writer writes, and throws away what it has read: too
// late for C, where the read itself has no meaning.
// With -D FIXED=1, which makes the data relaxed atomics, there is no data race.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef FIXED
#define DATA atomic_int
#define GET(v) atomic_load_explicit(&(v), memory_order_relaxed)
#define SET(v, n) atomic_store_explicit(&(v), n, memory_order_relaxed)
#else
#define DATA int
#define GET(v) (v)
#define SET(v, n) ((v) = (n))
#endif

atomic_uint seq;
DATA x, y;

static void *writer(void *arg) {
	unsigned s = atomic_load_explicit(&seq, memory_order_relaxed);
	atomic_store_explicit(&seq, s + 1, memory_order_relaxed);
	atomic_thread_fence(memory_order_release);
	SET(x, 1);
	SET(y, 1);
	atomic_store_explicit(&seq, s + 2, memory_order_release);
	return 0;
}

static void *reader(void *arg) {
	unsigned s = atomic_load_explicit(&seq, memory_order_acquire);
	if (s & 1)
		return 0;
	int a = GET(x), b = GET(y);
	atomic_thread_fence(memory_order_acquire);
	if (atomic_load_explicit(&seq, memory_order_relaxed) == s)
		assert(a == b);
	return 0;
}

int main(void) {
	pthread_t t, u;
	pthread_create(&t, 0, writer, 0);
	pthread_create(&u, 0, reader, 0);
	pthread_join(t, 0);
	pthread_join(u, 0);
	return 0;
}
