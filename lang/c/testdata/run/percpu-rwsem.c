// sc SAFE tso SAFE
/* Readers with a counter each, a writer that waits for all of them. */
#include <pthread.h>
#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>
#define NR 2
#define for_each_cpu(c) for (int c = 0; c < NR; c++)
static struct { _Alignas(64) atomic_int count; } readers[NR];
static atomic_bool block;
static pthread_mutex_t writers = PTHREAD_MUTEX_INITIALIZER;
static int x, y;
static bool down_read_trylock(int cpu)
{
	atomic_fetch_add_explicit(&readers[cpu].count, 1, memory_order_relaxed);
	atomic_thread_fence(memory_order_seq_cst);
	if (!atomic_load_explicit(&block, memory_order_acquire))
		return true;
	atomic_fetch_sub_explicit(&readers[cpu].count, 1, memory_order_release);
	return false;
}
static void up_read(int cpu) { atomic_fetch_sub_explicit(&readers[cpu].count, 1, memory_order_release); }
static void down_write(void)
{
	pthread_mutex_lock(&writers);
	atomic_store_explicit(&block, true, memory_order_relaxed);
	atomic_thread_fence(memory_order_seq_cst);
	for_each_cpu(c)
		while (atomic_load_explicit(&readers[c].count, memory_order_acquire) != 0)
			;
}
static void up_write(void)
{
	atomic_store_explicit(&block, false, memory_order_release);
	pthread_mutex_unlock(&writers);
}
static void *reader(void *p)
{
	int cpu = (int)(long)p;
	if (down_read_trylock(cpu)) {
		assert(x == y);
		up_read(cpu);
	}
	return 0;
}
int main(void)
{
	pthread_t t[NR];
	for_each_cpu(c) pthread_create(&t[c], 0, reader, (void *)(long)c);
	down_write();
	x++;
	y++;
	up_write();
	for_each_cpu(c) pthread_join(t[c], 0);
	return 0;
}
