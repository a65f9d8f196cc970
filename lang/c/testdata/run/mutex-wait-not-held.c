// sc UNSAFE tso UNSAFE pso UNSAFE rc11 UNSAFE
/* Who waits with a mutex must have it, also where the mutex would say that. */
#include <pthread.h>
pthread_mutex_t m = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int main(void)
{
	pthread_cond_wait(&c, &m);
	return 0;
}
