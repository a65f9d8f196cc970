// sc SAFE tso SAFE
/* A read-mostly lock: a trylock beside a writer's flag, with goto retry and backoff. */
#include <stdatomic.h>
#include <pthread.h>
#include <assert.h>
#include <sched.h>
#include <unistd.h>
static atomic_int writer, readers;
static int a, b;
static void backoff(int *n) { for (int i = 0; i < *n; i++) sched_yield(); if (*n < 4) *n <<= 1; usleep(1); }
static void read_lock(void)
{
	int n = 1;
retry:
	atomic_fetch_add(&readers, 1);
	if (atomic_load(&writer)) {
		atomic_fetch_sub(&readers, 1);
		while (atomic_load_explicit(&writer, memory_order_relaxed))
			backoff(&n);
		goto retry;
	}
}
static void read_unlock(void) { atomic_fetch_sub_explicit(&readers, 1, memory_order_release); }
static void write_lock(void)
{
	int free = 0;
	while (!atomic_compare_exchange_weak(&writer, &free, 1))
		free = 0;
	while (atomic_load(&readers))
		;
}
static void write_unlock(void) { atomic_store(&writer, 0); }
static void *r(void *x)
{
	read_lock();
	assert(a == b);
	read_unlock();
	return 0;
}
static void *w(void *x)
{
	write_lock();
	a++, b++;
	write_unlock();
	return 0;
}
int main(void)
{
	pthread_t t[3];
	pthread_create(&t[0], 0, w, 0);
	pthread_create(&t[1], 0, r, 0);
	pthread_create(&t[2], 0, w, 0);
	for (int i = 0; i < 3; i++) pthread_join(t[i], 0);
	assert(a == 2);
	return 0;
}
