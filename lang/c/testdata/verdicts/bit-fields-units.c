// Two bit-fields side by side are one memory location, also where each has a unit of its own: compilers may write both.
// sc SAFE, tso SAFE, pso SAFE, race UNSAFE, deadlock SAFE

#include <assert.h>
#include <pthread.h>

struct { unsigned a : 20, b : 20; } s;
void *a(void *arg)
{
	s.a = 1;
	return 0;
}

void *b(void *arg)
{
	return (void *)(long)s.b;
}

int main(void)
{
	pthread_t t, u;
	pthread_create(&t, 0, a, 0);
	pthread_create(&u, 0, b, 0);
	pthread_join(t, 0);
	pthread_join(u, 0);
	assert(s.a == 1 && s.b == 0);
}
