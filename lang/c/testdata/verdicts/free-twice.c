// Freed by both.
// sc UNSAFE, tso UNSAFE, pso UNSAFE, race UNSAFE, deadlock SAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node { int v; struct node *next; };
struct node *p;
void *a(void *arg)
{
	free(p);
	return 0;
}

int main(void)
{
	pthread_t h[2];
	p = malloc(sizeof *p);
	pthread_create(&h[0], 0, a, 0);
	pthread_create(&h[1], 0, a, 0);
	pthread_join(h[0], 0);
	pthread_join(h[1], 0);
	return 0;
}
