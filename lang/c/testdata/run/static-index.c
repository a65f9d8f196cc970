// sc SAFE tso SAFE pso SAFE rc11 SAFE
// Threads are made in a loop whose counter is static: where their numbers are written may be anywhere, as far as the values say.
#include <assert.h>
#include <pthread.h>

static void *one(void *arg)
{
	return arg;
}

int main(void)
{
	pthread_t t[3];
	for (static long i = 0; i < 3; i++)
		pthread_create(&t[i], 0, one, (void *)i);
	for (int i = 0; i < 3; i++) {
		void *was;
		pthread_join(t[i], &was);
		assert((long)was == i);
	}
	return 0;
}
