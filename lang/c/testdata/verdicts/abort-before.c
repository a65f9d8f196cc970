// A run ends at abort: what would come next is no race.
// sc SAFE, tso SAFE, pso SAFE, race SAFE, deadlock SAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
extern void abort(void);
int x;
void *a(void *arg)
{
	x = 1;
	return 0;
}

int main(void)
{
	pthread_t h;
	x = 2;
	if (x == 2)
		abort();
	pthread_create(&h, 0, a, 0);
	x = 3;
	return 0;
}
