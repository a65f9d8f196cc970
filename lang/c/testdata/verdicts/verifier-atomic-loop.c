// Atomic sections with a loop in them, which are locked sections: they order what is in them.
// sc SAFE, tso SAFE, pso SAFE, race SAFE, deadlock SAFE

#include <assert.h>
#include <pthread.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

int x, n = 2;

static void add(void)
{
	__VERIFIER_atomic_begin();
	for (int i = 0; i < n; i++)
		x++;
	__VERIFIER_atomic_end();
}

void *f(void *arg)
{
	add();
	return 0;
}

int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, f, 0);
	add();
	pthread_join(t, 0);
	assert(x == 4);
	return 0;
}
