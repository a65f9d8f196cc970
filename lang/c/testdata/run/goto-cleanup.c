// sc SAFE tso SAFE pso SAFE rc11 SAFE
/* The kernel's way out: labels in turn, cleanup attributes, do-while-zero macros, comma operators. */
#include <pthread.h>
#include <stdlib.h>
#include <errno.h>
#include <assert.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int fails, left;
extern int __VERIFIER_nondet_int(void);
#define WITH(m, label) do { if (pthread_mutex_lock(m)) goto label; } while (0)
static int work(int n)
{
	int err = 0, *p, *q;
	WITH(&a, out);
	p = malloc(sizeof(*p) * 2);
	if (!p || __VERIFIER_nondet_int()) {
		err = -ENOMEM;
		goto unlock_a;
	}
	WITH(&b, free_p);
	q = calloc(2, sizeof *q);
	if (!q) {
		err = -ENOMEM;
		goto unlock_b;
	}
	p[0] = n, q[1] = p[0];
	left += q[1] - n;
	free(q);
unlock_b:
	pthread_mutex_unlock(&b);
free_p:
	free(p), p = NULL;
	if (0) {
unlock_a:
		free(p);
		fails++;
	}
	pthread_mutex_unlock(&a);
out:
	return err;
}
static void *f(void *x) { return (void *)(long)work(5); }
int main(void)
{
	pthread_t t;
	void *r;
	pthread_create(&t, 0, f, 0);
	int mine = work(7);
	pthread_join(t, &r);
	assert(left == 0);
	assert(fails == !!mine + ((long)r != 0));
	return 0;
}
