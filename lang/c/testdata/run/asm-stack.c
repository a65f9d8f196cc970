// sc SAFE tso SAFE
#include <pthread.h>
#include <assert.h>
int x, y, a, b;
static inline void mb(void) {
	asm volatile("lock; addl $0,-4(%%rsp)" ::: "memory", "cc");
}

void *p0(void *u) {
	x = 1;
	mb();
	a = y;
	return 0;
}

void *p1(void *u) {
	int dummy;
	asm volatile("xchgl %0, %1" : "=r"(dummy), "+m"(y) : "0"(1) : "memory");
	b = x;
	return 0;
}

int main(void) {
	pthread_t s, t;
	pthread_create(&s, 0, p0, 0);
	pthread_create(&t, 0, p1, 0);
	pthread_join(s, 0);
	pthread_join(t, 0);
	assert(a || b);
}
