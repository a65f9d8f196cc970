// Main ends while a thread writes to what main has read.
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
int x;
void *a(void *arg)
{
	x = 1;
	return 0;
}

int main(void)
{
	pthread_t h[1];
	pthread_create(&h[0], 0, a, 0);
	int r = x;
	if (r != 0 && r != 1)
		reach_error();
	return 0;
}
