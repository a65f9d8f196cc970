// One thread takes a mutex twice: that is not the end of it.
// sc SAFE, tso SAFE, pso SAFE, race SAFE, deadlock UNSAFE

#include <pthread.h>

int c;

int main(void)
{
	pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
	pthread_mutex_lock(&m);
	pthread_mutex_lock(&m);
	c = 1;
	return 0;
}
