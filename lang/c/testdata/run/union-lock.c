// sc SAFE tso SAFE pso SAFE
#include <assert.h>
#include <stdint.h>
#include <pthread.h>
#include <stdatomic.h>
struct lk {
	union {
		_Atomic uint32_t val;
		struct {
			_Atomic uint8_t locked;
			_Atomic uint8_t pending;
			_Atomic uint16_t tail;
		};
	};
} l;
int n;
void *t(void *a) {
	uint32_t z = 0;
	while (!atomic_compare_exchange_strong(&l.val, &z, 1)) z = 0;
	n++;
	atomic_store(&l.locked, 0);
	return 0;
}

int main(void) {
	pthread_t a, b;
	pthread_create(&a, 0, t, 0);
	pthread_create(&b, 0, t, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	assert(n == 2);
}
