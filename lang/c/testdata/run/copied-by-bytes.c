// sc SAFE tso SAFE pso UNSAFE rc11 SAFE
/* A ring of records that are copied byte by byte, by pointers that go along them. Stores that overtake each other publish a record too early. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
struct record { uint32_t id; uint16_t length; uint8_t kind, flags; };
static struct record ring[2];
static atomic_uint head, tail;
static void copy(void *to, const void *from, size_t n)
{
	char *d = to;
	const char *s = from;
	while (n--)
		*d++ = *s++;
}
static void *producer(void *unused)
{
	for (unsigned i = 0; i < 2; i++) {
		struct record r = { i + 1, 300 + i, i, 0x80 };
		unsigned h = atomic_load_explicit(&head, memory_order_relaxed);
		while (h - atomic_load_explicit(&tail, memory_order_acquire) == 2)
			;
		copy(&ring[h % 2], &r, sizeof r);
		atomic_store_explicit(&head, h + 1, memory_order_release);
	}
	return 0;
}
static void *consumer(void *unused)
{
	for (unsigned i = 0; i < 2; i++) {
		struct record r;
		unsigned t = atomic_load_explicit(&tail, memory_order_relaxed);
		while (atomic_load_explicit(&head, memory_order_acquire) == t)
			;
		copy(&r, &ring[t % 2], sizeof r);
		atomic_store_explicit(&tail, t + 1, memory_order_release);
		assert(r.id == i + 1 && r.length == 300 + i && r.flags == 0x80);
	}
	return 0;
}
int main(void)
{
	pthread_t p, c;
	pthread_create(&p, 0, producer, 0);
	pthread_create(&c, 0, consumer, 0);
	pthread_join(p, 0);
	pthread_join(c, 0);
	return 0;
}
