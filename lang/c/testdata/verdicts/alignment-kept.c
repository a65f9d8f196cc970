// What is allocated, and what is declared, has the alignment that is asked for.
// sc SAFE, tso SAFE, pso SAFE, race SAFE, deadlock SAFE

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

_Bool __VERIFIER_nondet_bool(void);

#define AT(p, n) assert((uintptr_t)(p) % (n) == 0)

_Alignas(4096) int page;
int before __attribute__((aligned(256)));
struct line {
	_Alignas(64) int a;
	int b;
} lines[2];

void *user(void *arg)
{
	_Alignas(512) int local = 1;
	AT(&local, 512);
	AT(arg, 65536);
	free(arg);
	return 0;
}

int main(void)
{
	pthread_t t;
	void *p, *q = valloc(64);
	size_t some = __VERIFIER_nondet_bool() ? 32 : 1024;
	int *r = aligned_alloc(some, 2048);
	AT(r, some);
	AT(q, 4096);
	AT(&page, 4096);
	AT(&before, 256);
	AT(&lines[1], 64);
	assert(posix_memalign(&p, 3, 64) == EINVAL);
	assert(posix_memalign(&p, 65536, 64) == 0);
	pthread_create(&t, 0, user, p);
	pthread_join(t, 0);
	free(q);
	free(r);
	return 0;
}
