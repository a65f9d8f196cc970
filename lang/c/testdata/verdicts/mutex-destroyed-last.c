// A function destroys a mutex, when the threads that use it have ended; and one that is initialised again may be taken again.
// sc SAFE, tso SAFE, pso SAFE, race SAFE, deadlock SAFE

#include <assert.h>
#include <pthread.h>

pthread_mutex_t m;
int x;

void *user(void *arg)
{
	pthread_mutex_lock(&m);
	x++;
	pthread_mutex_unlock(&m);
	return 0;
}

static void once(void)
{
	pthread_t a, b;
	pthread_mutex_init(&m, 0);
	pthread_create(&a, 0, user, 0);
	pthread_create(&b, 0, user, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	pthread_mutex_destroy(&m);
}

int main(void)
{
	once();
	once();
	assert(x == 4);
	return 0;
}
