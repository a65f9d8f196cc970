// sc UNSAFE tso UNSAFE pso UNSAFE rc11 UNSAFE
/* A thread that may begin with no function. */
#include <pthread.h>
int nondet_int(void);
static void *f(void *a) { return a; }
int main(void)
{
	pthread_t t;
	void *(*p)(void *) = nondet_int() ? f : 0;
	pthread_create(&t, 0, p, 0);
	pthread_join(t, 0);
	return 0;
}
