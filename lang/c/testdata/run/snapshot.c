// sc SAFE tso SAFE pso SAFE rc11 SAFE
/* A double collect over versioned registers. */
#include <stdatomic.h>
#include <string.h>
#include <pthread.h>
#include <assert.h>
struct reg { atomic_int ver; atomic_int val; };
static struct reg r[2];
static void write_both(int v) { for (int i = 0; i < 2; i++) { atomic_store(&r[i].val, v); atomic_fetch_add(&r[i].ver, 1); } }
static int collect(int out[2], int ver[2]) { for (int i = 0; i < 2; i++) { ver[i] = atomic_load(&r[i].ver); out[i] = atomic_load(&r[i].val); } return 0; }
static void *reader(void *p)
{
	int a[2], b[2], va[2], vb[2];
	collect(a, va);
	collect(b, vb);
	if (!memcmp(va, vb, sizeof va) && !memcmp(a, b, sizeof a))
		assert(a[0] >= a[1] || va[0] != va[1] || a[0] == 0);
	return 0;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, reader, 0);
	write_both(1);
	pthread_join(t, 0);
	return 0;
}
