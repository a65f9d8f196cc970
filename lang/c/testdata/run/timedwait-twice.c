// sc UNSAFE tso UNSAFE pso UNSAFE rc11 UNSAFE
/* A mutex that is taken twice is not given back by a wait, also by one with a limit of time. */
#include <pthread.h>
#include <time.h>
pthread_mutex_t m = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int main(void)
{
	struct timespec until = {1, 0};
	pthread_mutex_lock(&m);
	pthread_mutex_lock(&m);
	pthread_cond_timedwait(&c, &m, &until);
	return 0;
}
