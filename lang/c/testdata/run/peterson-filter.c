// sc SAFE tso UNSAFE pso UNSAFE rc11 UNSAFE
/* The filter lock; what is volatile is not atomic in C11. */
#include <pthread.h>
#include <assert.h>
#define N 2
volatile int level[N], victim[N];
int cs;
static void lock(int me)
{
	for (int i = 1; i < N; i++) {
		level[me] = i;
		victim[i] = me;
		for (int k = 0; k < N; k++)
			while (k != me && level[k] >= i && victim[i] == me)
				;
	}
}
static void unlock(int me) { level[me] = 0; }
static void *f(void *p)
{
	int me = *(int *)p;
	lock(me);
	cs++;
	assert(cs == 1);
	cs--;
	unlock(me);
	return 0;
}
int main(void)
{
	pthread_t t[N];
	int id[N];
	for (int i = 0; i < N; i++) {
		id[i] = i;
		pthread_create(t + i, 0, f, id + i);
	}
	for (int i = 0; i < N; i++)
		pthread_join(t[i], 0);
	return 0;
}
