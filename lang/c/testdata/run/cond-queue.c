// sc SAFE tso SAFE pso SAFE
/* A bounded buffer with two conditions and a stop flag; timed waits. */
#include <pthread.h>
#include <assert.h>
#include <stdbool.h>
#include <errno.h>
#include <time.h>
struct bq { int buf[1]; unsigned head, count; bool closed; pthread_mutex_t mu; pthread_cond_t not_empty, not_full; };
static struct bq q = { .mu = PTHREAD_MUTEX_INITIALIZER, .not_empty = PTHREAD_COND_INITIALIZER, .not_full = PTHREAD_COND_INITIALIZER };
static int sum;
static void put(struct bq *b, int v)
{
	pthread_mutex_lock(&b->mu);
	while (b->count == sizeof b->buf / sizeof b->buf[0])
		pthread_cond_wait(&b->not_full, &b->mu);
	b->buf[(b->head + b->count++) % 1] = v;
	pthread_cond_signal(&b->not_empty);
	pthread_mutex_unlock(&b->mu);
}
static bool get(struct bq *b, int *v)
{
	struct timespec ts;
	clock_gettime(CLOCK_REALTIME, &ts);
	ts.tv_sec += 1;
	pthread_mutex_lock(&b->mu);
	while (!b->count && !b->closed)
		if (pthread_cond_timedwait(&b->not_empty, &b->mu, &ts) == ETIMEDOUT)
			continue;
	bool ok = b->count > 0;
	if (ok) {
		*v = b->buf[b->head];
		b->head = (b->head + 1) % 1;
		b->count--;
		pthread_cond_signal(&b->not_full);
	}
	pthread_mutex_unlock(&b->mu);
	return ok;
}
static void *consumer(void *a)
{
	int v;
	while (get(&q, &v))
		sum += v;
	return NULL;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, consumer, NULL);
	put(&q, 1);
	put(&q, 2);
	pthread_mutex_lock(&q.mu);
	q.closed = true;
	pthread_cond_broadcast(&q.not_empty);
	pthread_mutex_unlock(&q.mu);
	pthread_join(t, NULL);
	assert(sum == 3);
	return 0;
}
