// A list whose nodes are made under a mutex.
// sc SAFE, tso SAFE, pso SAFE, race SAFE, deadlock SAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
extern void abort(void);
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
struct node { int v; struct node *next; };
struct node *head;

void *a(void *arg)
{
	struct node *k = malloc(sizeof *k);
	k->v = 1;
	pthread_mutex_lock(&m);
	k->next = head;
	head = k;
	pthread_mutex_unlock(&m);
	return 0;
}

int main(void)
{
	pthread_t h[2];
	pthread_create(&h[0], 0, a, 0);
	pthread_create(&h[1], 0, a, 0);
	pthread_join(h[0], 0);
	pthread_join(h[1], 0);
	int n = 0;
	for (struct node *k = head; k; k = k->next)
		n += k->v;
	if (n != 2)
		reach_error();
	return 0;
}
