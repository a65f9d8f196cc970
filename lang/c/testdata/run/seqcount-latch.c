// sc SAFE tso SAFE pso UNSAFE rc11 UNSAFE
/* A latch: two copies, the parity of a sequence count says which one to read. */
#include <pthread.h>
#include <assert.h>
struct latch_struct { unsigned seq; struct entry { int a, b; } data[2]; };
static struct latch_struct latch = { .data = { [0] = { 1, 1 }, [1] = { 1, 1 } } };
#define LOAD(x) __atomic_load_n(&(x), __ATOMIC_RELAXED)
#define STORE(x, v) __atomic_store_n(&(x), (v), __ATOMIC_RELAXED)
#define smp_wmb() __asm__ __volatile__("" ::: "memory")
#define smp_rmb() __asm__ __volatile__("" ::: "memory")
static void modify(int v)
{
	smp_wmb();
	STORE(latch.seq, latch.seq + 1);
	smp_wmb();
	STORE(latch.data[0].a, v); STORE(latch.data[0].b, v);
	smp_wmb();
	STORE(latch.seq, latch.seq + 1);
	smp_wmb();
	STORE(latch.data[1].a, v); STORE(latch.data[1].b, v);
}
static struct entry query(void)
{
	struct entry e;
	unsigned seq, idx;
	do {
		seq = LOAD(latch.seq);
		smp_rmb();
		idx = seq & 1;
		e.a = LOAD(latch.data[idx].a);
		e.b = LOAD(latch.data[idx].b);
		smp_rmb();
	} while (LOAD(latch.seq) != seq);
	return e;
}
static void *reader(void *x)
{
	struct entry e = query();
	assert(e.a == e.b);
	return 0;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, reader, 0);
	modify(2);
	modify(3);
	pthread_join(t, 0);
	return 0;
}
