// sc UNSAFE tso UNSAFE pso UNSAFE rc11 UNSAFE
/* What a thread begins with stands in a table that main does not know. */
#include <assert.h>
#include <pthread.h>
int nondet_int(void);
int g;
static void *one(void *a) { *(int *)a += 1; return a; }
static void *two(void *a) { *(int *)a += 2; return a; }
static void *three(void *a) { *(int *)a += 3; return a; }
static struct { const char *name; void *(*run)(void *); } jobs[] = {{"one", one}, {"two", two}, {.run = three}};
int main(void)
{
	pthread_t t;
	void *r;
	int k = nondet_int();
	if (k < 0 || k > 2)
		return 0;
	jobs[0].run = one;
	pthread_create(&t, 0, jobs[k].run, &g);
	pthread_join(t, &r);
	assert(r == &g && g == k + 1);
	assert(g != 3);
	return 0;
}
