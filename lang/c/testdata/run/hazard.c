// sc SAFE tso UNSAFE
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <assert.h>
struct n {
	int v;
};
_Atomic(struct n *) g;
_Atomic(struct n *) hp;
void *reader(void *a) {
	struct n *p;
	do {
		p = atomic_load_explicit(&g, memory_order_acquire);
		atomic_store_explicit(&hp, p, memory_order_release);
	} while (p != atomic_load_explicit(&g, memory_order_acquire));
	assert(p->v == 1 || p->v == 2);
	atomic_store_explicit(&hp, NULL, memory_order_release);
	return 0;
}

void *writer(void *a) {
	struct n *q = malloc(sizeof *q), *o;
	q->v = 2;
	o = atomic_exchange(&g, q);
	while (atomic_load_explicit(&hp, memory_order_acquire) == o) ;
	free(o);
	return 0;
}

int main(void) {
	struct n *q = malloc(sizeof *q);
	q->v = 1;
	atomic_init(&g, q);
	pthread_t x, y;
	pthread_create(&x, 0, reader, 0);
	pthread_create(&y, 0, writer, 0);
	pthread_join(x, 0);
	pthread_join(y, 0);
	free(g);
}
