// A lock on the heap, taken by an exchange among other things that a round does, that is not always given back.
// sc SAFE, tso SAFE, pso SAFE, race SAFE, deadlock UNSAFE

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

struct box {
	void *other;
	atomic_flag f;
	int c;
};

static void *a(void *arg)
{
	struct box *b = arg;
	while (atomic_flag_test_and_set(&b->f))
		sched_yield();
	b->c++;
	if (b->c != 1)
		atomic_flag_clear(&b->f);
	return 0;
}

int main(void)
{
	pthread_t h[2];
	struct box *b = malloc(sizeof *b);
	b->other = b;
	b->c = 0;
	atomic_flag_clear(&b->f);
	for (int i = 0; i < 2; i++)
		pthread_create(&h[i], 0, a, b);
	for (int i = 0; i < 2; i++)
		pthread_join(h[i], 0);
	return 0;
}
