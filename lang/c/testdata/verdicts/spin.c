// Pthread_spin.
// sc SAFE, tso SAFE, pso SAFE, race SAFE, deadlock SAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

pthread_spinlock_t s;
int c;
void *a(void *arg)
{
	pthread_spin_lock(&s);
	c++;
	pthread_spin_unlock(&s);
	return 0;
}

int main(void)
{
	pthread_t h[2];
	pthread_spin_init(&s, 0);
	pthread_create(&h[0], 0, a, 0);
	pthread_create(&h[1], 0, a, 0);
	pthread_join(h[0], 0);
	pthread_join(h[1], 0);
	assert(c == 2);
	return 0;
}
