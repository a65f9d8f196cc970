// sc UNSAFE tso UNSAFE pso UNSAFE
#include <assert.h>
#include <stdint.h>
#include <pthread.h>
union {
	uint32_t w;
	uint16_t h[2];
} u;
void *t(void *a) {
	u.w = 0xffffffff;
	return 0;
}

int main(void) {
	pthread_t a;
	pthread_create(&a, 0, t, 0);
	uint16_t h = u.h[0];
	assert(u.h[1] == h);
	pthread_join(a, 0);
}
