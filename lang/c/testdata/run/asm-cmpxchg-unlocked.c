// sc UNSAFE tso UNSAFE
#include <assert.h>
#include <pthread.h>
static int lock, taken;
static void *run(void *a)
{
	int was = 0;
	asm volatile("cmpxchgl %2, %1" : "+a"(was), "+m"(lock) : "r"(1) : "memory", "cc");
	if (was == 0)
		taken = taken + 1;
	assert(taken < 2);
	return a;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, run, 0);
	run(0);
	pthread_join(t, 0);
	return 0;
}
