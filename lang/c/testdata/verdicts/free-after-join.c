// Freed when all are done.
// sc SAFE, tso SAFE, pso SAFE, race SAFE, deadlock SAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node { int v; struct node *next; };
struct node *p;
void *a(void *arg)
{
	p->v++;
	return 0;
}

int main(void)
{
	pthread_t h[1];
	p = malloc(sizeof *p);
	p->v = 0;
	pthread_create(&h[0], 0, a, 0);
	pthread_join(h[0], 0);
	assert(p->v == 1);
	free(p);
	return 0;
}
