// sc SAFE tso SAFE
#include <assert.h>
#include <stdint.h>
#include <stdatomic.h>
#include <pthread.h>
union lock {
	_Atomic uint32_t v;
	struct {
		_Atomic uint16_t owner, next;
	} t;
} l;
int n;
static void lock(void) {
	uint32_t me = atomic_fetch_add(&l.v, 1 << 16) >> 16;
	while (atomic_load(&l.t.owner) != me);
}

static void unlock(void) {
	atomic_store_explicit(&l.t.owner, l.t.owner + 1, memory_order_release);
}

static void *th(void *a) {
	lock();
	n++;
	unlock();
	return 0;
}

int main(void) {
	pthread_t x, y;
	pthread_create(&x, 0, th, 0);
	pthread_create(&y, 0, th, 0);
	pthread_join(x, 0);
	pthread_join(y, 0);
	assert(n == 2);
	return 0;
}
