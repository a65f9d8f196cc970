// An element that is chosen by an input.
// sc UNSAFE, tso UNSAFE, pso UNSAFE, race UNSAFE, deadlock SAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
extern void abort(void);
int v[3];
void *a(void *arg)
{
	int i = __VERIFIER_nondet_int();
	if (i >= 0 && i < 2)
		v[i]++;
	return 0;
}

void *b(void *arg)
{
	v[1]++;
	return 0;
}

int main(void)
{
	pthread_t h[2];
	pthread_create(&h[0], 0, a, 0);
	pthread_create(&h[1], 0, b, 0);
	pthread_join(h[0], 0);
	pthread_join(h[1], 0);
	if (v[1] == 1 && v[0] == 0)
		reach_error();
	return 0;
}
