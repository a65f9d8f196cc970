// sc SAFE tso SAFE
/* A stack whose head has a number beside it: both are swapped at once, as Concurrency Kit does. */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct node { struct node *next; };
static struct head { struct node *top; uint64_t number; } head __attribute__((aligned(16)));
static struct node nodes[2];

static bool swap(uint64_t target[2], uint64_t compare[2], uint64_t set[2])
{
	bool z;
	__asm__ __volatile__("movq 0(%4), %%rax;"
			     "movq 8(%4), %%rdx;"
			     "lock; cmpxchg16b %0; setz %1"
		: "+m"(*target), "=q"(z)
		: "b"(set[0]), "c"(set[1]), "q"(compare)
		: "memory", "cc", "%rax", "%rdx");
	return z;
}

static bool swap_value(uint64_t target[2], uint64_t compare[2], uint64_t set[2], uint64_t v[2])
{
	bool z;
	__asm__ __volatile__("lock cmpxchg16b %0; setz %3"
		: "+m"(*target), "=a"(v[0]), "=d"(v[1]), "=q"(z)
		: "a"(compare[0]), "d"(compare[1]), "b"(set[0]), "c"(set[1])
		: "memory", "cc");
	return z;
}

static void *pop(void *arg)
{
	struct head was, is;
	do {
		was.number = *(volatile uint64_t *)&head.number;
		was.top = *(struct node *volatile *)&head.top;
		is.top = was.top->next;
		is.number = was.number + 1;
	} while (!swap((uint64_t *)&head, (uint64_t *)&was, (uint64_t *)&is));
	return was.top;
}

int main(void)
{
	static uint64_t x[2] __attribute__((aligned(16))) = { 1, 2 };
	uint64_t no[2] = { 1, 3 }, yes[2] = { 1, 2 }, set[2] = { 5, 6 }, v[2];
	assert(!swap_value(x, no, set, v) && v[0] == 1 && v[1] == 2 && x[0] == 1);
	assert(swap_value(x, yes, set, v) && v[0] == 1 && v[1] == 2 && x[0] == 5 && x[1] == 6);
	pthread_t s, t;
	void *a, *b;
	nodes[0].next = &nodes[1];
	head.top = &nodes[0];
	pthread_create(&s, 0, pop, 0);
	pthread_create(&t, 0, pop, 0);
	pthread_join(s, &a);
	pthread_join(t, &b);
	assert(a != b && head.top == 0 && head.number == 2);
	return 0;
}
