// One of no bits parts them, within a unit as well.
// sc SAFE, tso SAFE, pso SAFE, race SAFE, deadlock SAFE

#include <assert.h>
#include <pthread.h>

struct { unsigned a : 4; unsigned char : 0; unsigned b : 4; unsigned : 0; unsigned c : 20; } s;
void *a(void *arg)
{
	s.a = 1;
	s.c = 3;
	return 0;
}

void *b(void *arg)
{
	s.b = 2;
	return 0;
}

int main(void)
{
	pthread_t t, u;
	pthread_create(&t, 0, a, 0);
	pthread_create(&u, 0, b, 0);
	pthread_join(t, 0);
	pthread_join(u, 0);
	assert(s.a == 1 && s.b == 2 && s.c == 3);
}
