// sc UNSAFE tso UNSAFE
// Nobody writes to what the threads share.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
struct s { int a, b; };
void *t(void *p) { struct s *x = p; x->a++; assert(x->b == 0); return 0; }
int main(void)
{
	pthread_t id;
	struct s *x = malloc(sizeof *x);
	x->a = 1;
	pthread_create(&id, 0, t, x);
	t(x);
	pthread_join(id, 0);
}
