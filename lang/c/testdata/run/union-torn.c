// sc SAFE tso SAFE pso SAFE
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
	uint32_t w = u.w;
	assert(w == 0 || w == 0xffffffff);
	if (u.h[1]) assert(u.w == 0xffffffff);
	pthread_join(a, 0);
	assert(u.h[0] == 0xffff);
}
