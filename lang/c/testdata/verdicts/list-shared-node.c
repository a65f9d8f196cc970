// What is in the list is written without the mutex, and before it is written it may be anything.
// sc UNSAFE, tso UNSAFE, pso UNSAFE, race UNSAFE, deadlock SAFE

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
	pthread_mutex_lock(&m);
	k->next = head;
	head = k;
	pthread_mutex_unlock(&m);
	k->v = 1;
	return 0;
}

void *b(void *arg)
{
	pthread_mutex_lock(&m);
	struct node *k = head;
	int r = k ? k->v : 0;
	pthread_mutex_unlock(&m);
	if (r != 0 && r != 1)
		reach_error();
	return 0;
}

int main(void)
{
	pthread_t h[2];
	pthread_create(&h[0], 0, a, 0);
	pthread_create(&h[1], 0, b, 0);
	pthread_join(h[0], 0);
	pthread_join(h[1], 0);
	return 0;
}
