// sc UNSAFE
#include <stdio.h>
#include <pthread.h>
#include <assert.h>
char log_[16];
int v;
void *t(void *a) {
	snprintf(log_, sizeof log_, "v=%d", v);
	return 0;
}

int main(void) {
	pthread_t x;
	pthread_create(&x, 0, t, 0);
	v = 123;
	pthread_join(x, 0);
	assert(log_[2] != '1');
	return 0;
}
