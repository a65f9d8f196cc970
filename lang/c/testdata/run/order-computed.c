// sc SAFE tso UNSAFE pso UNSAFE rc11 UNSAFE
// an order that is computed is the one that it says: one of the threads has relaxed accesses
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y;
static int a, b;
static memory_order orders[2] = { memory_order_relaxed, memory_order_seq_cst };

struct side {
	atomic_int *mine, *other;
	int *out;
	int i;
};

static void *run(void *arg) {
	struct side *s = arg;
	memory_order o = orders[s->i];
	int seen = 0;
	if (atomic_compare_exchange_strong_explicit(s->other, &seen, 0, o, memory_order_relaxed))
		atomic_store_explicit(s->mine, 1, s->i ? memory_order_seq_cst : memory_order_relaxed);
	else
		atomic_exchange_explicit(s->mine, 1, o);
	*s->out = atomic_load_explicit(s->other, o);
	return 0;
}

int main(void) {
	pthread_t s, t;
	struct side l = { &x, &y, &a, 0 }, r = { &y, &x, &b, 1 };
	pthread_create(&s, 0, run, &l);
	pthread_create(&t, 0, run, &r);
	pthread_join(s, 0);
	pthread_join(t, 0);
	assert(a || b);
	return 0;
}
