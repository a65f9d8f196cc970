// sc SAFE tso SAFE pso SAFE rc11 SAFE
/* Drepper's mutex with three states; waiting is spinning on the word. */
#include <stdatomic.h>
#include <pthread.h>
#include <assert.h>
static atomic_int m;
static int data;
static void futex_wait(atomic_int *a, int v) { while (atomic_load_explicit(a, memory_order_relaxed) == v) ; }
static int cmpxchg(atomic_int *a, int e, int d) { atomic_compare_exchange_strong(a, &e, d); return e; }
static void lock(void)
{
	int c;
	if ((c = cmpxchg(&m, 0, 1)) != 0) {
		if (c != 2)
			c = atomic_exchange(&m, 2);
		while (c != 0) {
			futex_wait(&m, 2);
			c = atomic_exchange(&m, 2);
		}
	}
}
static void unlock(void)
{
	if (atomic_fetch_sub(&m, 1) != 1)
		atomic_store(&m, 0);
}
static void *f(void *p) { lock(); data++; unlock(); return 0; }
int main(void)
{
	pthread_t t[3];
	for (int i = 0; i < 3; i++) pthread_create(&t[i], 0, f, 0);
	for (int i = 0; i < 3; i++) pthread_join(t[i], 0);
	assert(data == 3);
	return 0;
}
