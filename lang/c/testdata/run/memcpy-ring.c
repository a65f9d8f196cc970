// sc SAFE tso SAFE pso UNSAFE rc11 SAFE
/* A ring of elements of any type: void pointers, a size that is stored, memcpy. */
#include <stdatomic.h>
#include <string.h>
#include <stdlib.h>
#include <pthread.h>
#include <assert.h>
struct ring { size_t esize, cap; atomic_size_t head, tail; char *buf; };
struct msg { int a; long b; };
static struct ring *ring_new(size_t esize, size_t cap)
{
	struct ring *r = malloc(sizeof *r);
	r->esize = esize;
	r->cap = cap;
	atomic_init(&r->head, 0);
	atomic_init(&r->tail, 0);
	r->buf = malloc(esize * cap);
	return r;
}
static int ring_put(struct ring *r, const void *e)
{
	size_t t = atomic_load_explicit(&r->tail, memory_order_relaxed);
	if (t - atomic_load_explicit(&r->head, memory_order_acquire) == r->cap) return 0;
	memcpy(r->buf + (t % r->cap) * r->esize, e, r->esize);
	atomic_store_explicit(&r->tail, t + 1, memory_order_release);
	return 1;
}
static int ring_get(struct ring *r, void *e)
{
	size_t h = atomic_load_explicit(&r->head, memory_order_relaxed);
	if (h == atomic_load_explicit(&r->tail, memory_order_acquire)) return 0;
	memcpy(e, r->buf + (h % r->cap) * r->esize, r->esize);
	atomic_store_explicit(&r->head, h + 1, memory_order_release);
	return 1;
}
static void *producer(void *p)
{
	for (int i = 1; i <= 2; i++) {
		struct msg m = { i, -i };
		if (!ring_put(p, &m)) break;
	}
	return 0;
}
int main(void)
{
	struct ring *r = ring_new(sizeof(struct msg), 2);
	pthread_t t;
	pthread_create(&t, 0, producer, r);
	struct msg m;
	for (int i = 1; i <= 2; i++) {
		if (!ring_get(r, &m)) break;
		assert(m.a == i && m.b == -i);
	}
	pthread_join(t, 0);
	return 0;
}
