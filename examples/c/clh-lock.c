// The queue lock of Craig, Landin and Hagersten: who comes waits on the node of
// the one before, and takes that node over afterwards.
//
// From: T. S. Craig, Building FIFO and priority-queuing spin locks from atomic
// swap, University of Washington, 1993.
// Client: N threads (2) that enter for ever; in the critical section each writes a plain variable and reads it back.
// Property: what it reads is what it wrote.
// SC:  SAFE
// TSO: SAFE. The queue is changed by a locked instruction, and stores reach memory
//      in their order.
// PSO: UNSAFE. A release store is a plain one, and may reach memory before the
//      store to the variable: the next thread is in while that is under way.
// With -D FIXED=1, which makes the weak stores seq_cst: SAFE under all three.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef FIXED
#define ORDER memory_order_seq_cst
#else
#define ORDER memory_order_release
#endif

struct node {
	atomic_int held;
};

struct node nodes[4]; // the first one is in nobody's hands
_Atomic(struct node *) tail = &nodes[0];
_Thread_local struct node *mine, *before;

static void lock(int me) {
	if (!mine)
		mine = &nodes[me + 1];
	atomic_store_explicit(&mine->held, 1, memory_order_relaxed);
	before = atomic_exchange(&tail, mine);
	while (atomic_load_explicit(&before->held, memory_order_acquire))
		;
}

static void unlock(int me) {
	struct node *was = mine;
	mine = before;
	atomic_store_explicit(&was->held, 0, ORDER);
}

int data;

static void *run(void *arg) {
	int me = (int)(long)arg;
	for (;;) {
		lock(me);
		data = me;
		assert(data == me);
		unlock(me);
	}
	return 0;
}

#ifndef N
#define N 2
#endif

int main(void) {
	pthread_t t[N];
	for (long i = 0; i < N; i++)
		pthread_create(&t[i], 0, run, (void *)i);
	for (int i = 0; i < N; i++)
		pthread_join(t[i], 0);
	return 0;
}
