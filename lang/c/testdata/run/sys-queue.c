// sc SAFE tso SAFE pso SAFE
/* The lists and queues of BSD: a queue of jobs that two threads work off, and the others one after another. */
#include <sys/queue.h>
#include <pthread.h>
#include <assert.h>
#include <stdlib.h>

struct job { int n; TAILQ_ENTRY(job) link; };
static TAILQ_HEAD(jobs, job) jobs = TAILQ_HEAD_INITIALIZER(jobs);
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int sum;

static void *work(void *arg)
{
	for (;;) {
		pthread_mutex_lock(&m);
		struct job *j = TAILQ_FIRST(&jobs);
		if (j == NULL)
			break;
		TAILQ_REMOVE(&jobs, j, link);
		sum += j->n;
		pthread_mutex_unlock(&m);
		free(j);
	}
	pthread_mutex_unlock(&m);
	return arg;
}

struct node { int v; SLIST_ENTRY(node) s; LIST_ENTRY(node) l; STAILQ_ENTRY(node) q; };
SLIST_HEAD(slist, node);
LIST_HEAD(list, node);
STAILQ_HEAD(queue, node);

static void others(void)
{
	struct node a = { 1 }, b = { 2 }, c = { 3 }, *e, *next;
	struct slist s = SLIST_HEAD_INITIALIZER(s);
	SLIST_INSERT_HEAD(&s, &b, s);
	SLIST_INSERT_HEAD(&s, &a, s);
	SLIST_INSERT_AFTER(&b, &c, s);
	SLIST_REMOVE(&s, &b, node, s);
	assert(SLIST_FIRST(&s) == &a && SLIST_NEXT(&a, s) == &c && !SLIST_NEXT(&c, s));
	SLIST_REMOVE_HEAD(&s, s);
	SLIST_REMOVE_HEAD(&s, s);
	assert(SLIST_EMPTY(&s));

	struct list l;
	LIST_INIT(&l);
	LIST_INSERT_HEAD(&l, &c, l);
	LIST_INSERT_BEFORE(&c, &a, l);
	LIST_INSERT_AFTER(&a, &b, l);
	int n = 0;
	LIST_FOREACH(e, &l, l)
		n = 10 * n + e->v;
	assert(n == 123);
	LIST_REMOVE(&b, l);
	LIST_REMOVE(&a, l);
	assert(LIST_FIRST(&l) == &c && !LIST_NEXT(&c, l));

	struct queue q = STAILQ_HEAD_INITIALIZER(q), p;
	STAILQ_INIT(&p);
	STAILQ_INSERT_TAIL(&q, &a, q);
	STAILQ_INSERT_TAIL(&p, &b, q);
	STAILQ_INSERT_AFTER(&p, &b, &c, q);
	STAILQ_CONCAT(&q, &p);
	assert(STAILQ_EMPTY(&p));
	n = 0;
	STAILQ_FOREACH_SAFE(e, &q, q, next) {
		n = 10 * n + e->v;
		if (e == &c)
			STAILQ_REMOVE(&q, &c, node, q);
	}
	assert(n == 123);
	STAILQ_INSERT_TAIL(&q, &c, q);
	STAILQ_REMOVE_HEAD(&q, q);
	assert(STAILQ_FIRST(&q) == &b && STAILQ_NEXT(&b, q) == &c);
}

int main(void)
{
	others();
	struct job *j;
	for (int i = 1; i <= 3; i++) {
		j = malloc(sizeof *j);
		j->n = i;
		if (i == 2)
			TAILQ_INSERT_HEAD(&jobs, j, link);
		else
			TAILQ_INSERT_TAIL(&jobs, j, link);
	}
	int n = 0;
	TAILQ_FOREACH(j, &jobs, link)
		n = 10 * n + j->n;
	assert(n == 213 && TAILQ_LAST(&jobs, jobs)->n == 3);
	n = 0;
	TAILQ_FOREACH_REVERSE(j, &jobs, jobs, link)
		n = 10 * n + j->n;
	assert(n == 312);
	pthread_t t;
	pthread_create(&t, NULL, work, NULL);
	work(NULL);
	pthread_join(t, NULL);
	assert(sum == 6 && TAILQ_EMPTY(&jobs));
	return 0;
}
