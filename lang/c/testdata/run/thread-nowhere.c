// sc UNSAFE tso UNSAFE pso UNSAFE
// The place for the number of a thread is computed by a shift that is too far.

#include <pthread.h>

pthread_t h[2];

void *thread(void *arg)
{
	return arg;
}

int main(void)
{
	for (int i = 0; i < 2; i++)
		pthread_create(&h[1 << 38], 0, thread, &h[i]);
	return 0;
}
