// sc SAFE tso SAFE pso UNSAFE rc11 SAFE
/* A record with the sum of its bytes, which a pointer goes along in both threads. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
static struct record { uint32_t id; uint16_t length; uint8_t kind, flags; } slot;
static uint32_t sum;
static atomic_int ready;
static uint32_t hash(const void *data, size_t n)
{
	const uint8_t *p = data;
	uint32_t h = 5381;
	while (n--)
		h = h * 33 ^ *p++;
	return h;
}
static void *producer(void *unused)
{
	slot.id = 7;
	slot.length = 300;
	slot.flags = 0x80;
	sum = hash(&slot, sizeof slot);
	atomic_store_explicit(&ready, 1, memory_order_release);
	return 0;
}
static void *consumer(void *unused)
{
	while (!atomic_load_explicit(&ready, memory_order_acquire))
		;
	assert(hash(&slot, sizeof slot) == sum);
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
