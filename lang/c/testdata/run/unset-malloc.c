// sc UNSAFE tso UNSAFE
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
struct s { int a; long b; };
void *t(void *p)
{
	struct s *x = malloc(sizeof *x);
	x->a = 1;
	assert(x->b != 7);
	return 0;
}
int main(void)
{
	pthread_t id;
	pthread_create(&id, 0, t, 0);
	pthread_join(id, 0);
}
