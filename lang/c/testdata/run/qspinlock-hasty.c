// sc UNSAFE tso UNSAFE
// A lock with a pending bit: who has set it does not wait for the one who has the lock.
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
union lock {
	uint32_t val;
	struct { uint8_t locked, pending; uint16_t tail; };
	uint16_t both;
} l;
int shared;

static void take(union lock *l) {
	uint32_t old = 0;
	if (__atomic_compare_exchange_n(&l->val, &old, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) return;
	while (__atomic_fetch_or(&l->val, 0x100, __ATOMIC_ACQUIRE) & 0x100) ;
	__atomic_store_n(&l->both, 1, __ATOMIC_RELAXED);
}

static void *run(void *arg) {
	take(&l);
	int x = shared;
	shared = x + 1;
	assert(shared == x + 1);
	__atomic_store_n(&l.locked, 0, __ATOMIC_RELEASE);
	return 0;
}

int main(void) {
	pthread_t s, t;
	pthread_create(&s, 0, run, 0);
	pthread_create(&t, 0, run, 0);
	pthread_join(s, 0);
	pthread_join(t, 0);
	return 0;
}
