// sc SAFE tso UNSAFE
// A store of both halves is no fence, and a load of them passes it.
#include <assert.h>
#include <stdint.h>
#include <pthread.h>
union {
	uint32_t w;
	uint16_t h[2];
} u, v;
uint32_t r, s;
void *left(void *a) {
	u.w = 0x10001;
	r = v.w;
	return 0;
}
void *right(void *a) {
	v.h[0] = 1;
	v.w = 0x10001;
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
