// sc SAFE tso SAFE pso SAFE
/* A pool: tasks in a list, a condition, a shutdown flag, tasks with function pointers. */
#include <pthread.h>
#include <stdlib.h>
#include <stdbool.h>
#include <assert.h>
struct task { void (*run)(void *); void *arg; struct task *next; };
struct pool { pthread_mutex_t mu; pthread_cond_t work; struct task *head, **tail; bool stop; int done; };
static struct pool pool = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, NULL, &pool.head, false, 0 };
static void submit(struct pool *p, void (*run)(void *), void *arg)
{
	struct task *t = malloc(sizeof *t);
	*t = (struct task){ run, arg, NULL };
	pthread_mutex_lock(&p->mu);
	*p->tail = t;
	p->tail = &t->next;
	pthread_cond_signal(&p->work);
	pthread_mutex_unlock(&p->mu);
}
static void *worker(void *arg)
{
	struct pool *p = arg;
	pthread_mutex_lock(&p->mu);
	for (;;) {
		while (!p->head && !p->stop)
			pthread_cond_wait(&p->work, &p->mu);
		if (!p->head)
			break;
		struct task *t = p->head;
		if (!(p->head = t->next))
			p->tail = &p->head;
		pthread_mutex_unlock(&p->mu);
		t->run(t->arg);
		free(t);
		pthread_mutex_lock(&p->mu);
		p->done++;
	}
	pthread_mutex_unlock(&p->mu);
	return NULL;
}
static void inc(void *p) { __atomic_add_fetch((int *)p, 1, __ATOMIC_RELAXED); }
static void neg(void *p) { int *v = p; *v = -*v; }
int main(void)
{
	pthread_t t[2];
	int a = 0, b = 3;
	for (int i = 0; i < 2; i++) pthread_create(&t[i], NULL, worker, &pool);
	submit(&pool, inc, &a);
	submit(&pool, neg, &b);
	submit(&pool, inc, &a);
	pthread_mutex_lock(&pool.mu);
	pool.stop = true;
	pthread_cond_broadcast(&pool.work);
	pthread_mutex_unlock(&pool.mu);
	for (int i = 0; i < 2; i++) pthread_join(t[i], NULL);
	assert(a == 2 && b == -3 && pool.done == 3);
	return 0;
}
