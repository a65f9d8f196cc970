// sc SAFE tso SAFE
// A ring whose sides keep what they know of each other in structures of their own: who waits stores there for ever.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define N 2
static unsigned char slots[N];
static atomic_uint head, tail;
static struct { unsigned at, seen; } in, out;

static void put(unsigned char x) {
	while (in.at - in.seen == N)
		in.seen = atomic_load_explicit(&tail, memory_order_acquire);
	slots[in.at % N] = x;
	in.at++;
	atomic_store_explicit(&head, in.at, memory_order_release);
}

static unsigned char get(void) {
	if (out.seen == out.at)
		do
			out.seen = atomic_load_explicit(&head, memory_order_acquire);
		while (out.seen == out.at);
	unsigned char x = slots[out.at % N];
	out.at++;
	atomic_store_explicit(&tail, out.at, memory_order_release);
	return x;
}

static void *producer(void *arg) {
	for (unsigned char i = 0;; i = (i + 1) % 3)
		put(i);
	return arg;
}

int main(void) {
	pthread_t t;
	pthread_create(&t, 0, producer, 0);
	for (unsigned char i = 0;; i = (i + 1) % 3)
		assert(get() == i);
}
