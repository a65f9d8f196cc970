// sc SAFE tso UNSAFE rc11 SAFE
// on x86 smp_mb__before_atomic is nothing, and so it orders nothing where no atomic operation follows
#include <linux/atomic.h>
#include <pthread.h>
#include <assert.h>
int x, y, a, b;
void *p(void *arg) { WRITE_ONCE(x, 1); smp_mb__before_atomic(); a = READ_ONCE(y); return 0; }
void *q(void *arg) { WRITE_ONCE(y, 1); smp_mb__before_atomic(); b = READ_ONCE(x); return 0; }
int main(void) {
	pthread_t s, t;
	pthread_create(&s, 0, p, 0);
	pthread_create(&t, 0, q, 0);
	pthread_join(s, 0);
	pthread_join(t, 0);
	assert(a || b);
	return 0;
}
