// sc SAFE tso UNSAFE pso UNSAFE
// Each sees its own half from its store buffer, and the other half in memory.
#include <assert.h>
#include <stdint.h>
#include <pthread.h>
union {
	uint32_t w;
	uint16_t h[2];
} u;
uint32_t r, s;
void *left(void *a) {
	u.h[0] = 1;
	r = u.w;
	return 0;
}
void *right(void *a) {
	u.h[1] = 1;
	s = u.w;
	return 0;
}

int main(void) {
	pthread_t a, b;
	pthread_create(&a, 0, left, 0);
	pthread_create(&b, 0, right, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	assert(r == 0x10001 || s == 0x10001);
}
