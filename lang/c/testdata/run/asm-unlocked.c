// sc UNSAFE
#include <pthread.h>
#include <assert.h>
int n;
void *t(void *a) {
	asm volatile("incl %0" : "+m"(n));
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
