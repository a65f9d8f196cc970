// One access outside of them.
// sc SAFE, tso SAFE, pso SAFE, race UNSAFE, deadlock SAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
extern void abort(void);
int c;
void *a(void *arg)
{
	__VERIFIER_atomic_begin();
	c = 1;
	__VERIFIER_atomic_end();
	return 0;
}

void *b(void *arg)
{
	c = 1;
	return 0;
}

int main(void)
{
	pthread_t h[2];
	pthread_create(&h[0], 0, a, 0);
	pthread_create(&h[1], 0, b, 0);
	pthread_join(h[0], 0);
	pthread_join(h[1], 0);
	if (c != 1)
		reach_error();
	return 0;
}
