// sc UNSAFE tso UNSAFE pso UNSAFE rc11 UNSAFE
// The stack of double-word-stack.c with a tag that stays: what is popped, and pushed again, is the top of another stack.
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

struct node {
	struct node *next;
};

typedef union {
	unsigned __int128 whole;
	struct {
		struct node *top;
		uint64_t tag;
	} s;
} head_t;

#ifndef STEP
#define STEP 0
#endif

static head_t head;
static struct node nodes[2];
static int taken[2];

static void push(struct node *n)
{
	head_t old = { .whole = __atomic_load_n(&head.whole, __ATOMIC_ACQUIRE) }, new;
	do {
		__atomic_store_n(&n->next, old.s.top, __ATOMIC_RELAXED);
		new.s.top = n;
		new.s.tag = old.s.tag + STEP;
	} while (!__atomic_compare_exchange_n(&head.whole, &old.whole, new.whole, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
}

static struct node *pop(void)
{
	head_t old = { .whole = __atomic_load_n(&head.whole, __ATOMIC_ACQUIRE) }, new;
	do {
		if (!old.s.top)
			return 0;
		new.s.top = __atomic_load_n(&old.s.top->next, __ATOMIC_RELAXED);
		new.s.tag = old.s.tag + STEP;
	} while (!__atomic_compare_exchange_n(&head.whole, &old.whole, new.whole, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
	return old.s.top;
}

static void take(struct node *n)
{
	if (n)
		assert(!__atomic_exchange_n(&taken[n - nodes], 1, __ATOMIC_RELAXED));
}

static void *pops(void *arg)
{
	take(pop());
	take(pop());
	return 0;
}

static void *returns(void *arg)
{
	struct node *a = pop(), *b = pop();
	take(a);
	take(b);
	if (a) {
		__atomic_store_n(&taken[a - nodes], 0, __ATOMIC_RELAXED);
		push(a);
	}
	return 0;
}

int main(void)
{
	pthread_t t[2];
	push(&nodes[0]);
	push(&nodes[1]);
	pthread_create(&t[0], 0, pops, 0);
	pthread_create(&t[1], 0, returns, 0);
	pthread_join(t[0], 0);
	pthread_join(t[1], 0);
	return 0;
}
