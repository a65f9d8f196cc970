// sc UNSAFE tso UNSAFE
#include <assert.h>
#include <pthread.h>
struct s { int a; };
int g;
void *t(void *p)
{
	struct s x, *q = &x;
	if (g)
		q->a = 3;
	assert(x.a == 3 || x.a == 0);
	return 0;
}
int main(void)
{
	pthread_t id;
	pthread_create(&id, 0, t, 0);
	g = 1;
	pthread_join(id, 0);
}
