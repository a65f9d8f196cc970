// sc SAFE tso SAFE pso SAFE rc11 SAFE
/* What Goblint's tests say. */
#include <goblint.h>
#include <pthread.h>
int nondet_int(void);
int g;
static void *w(void *a) { g = 3; return 0; }
int main(void)
{
	pthread_t t;
	int k = nondet_int();
	__goblint_assume(k > 3);
	__goblint_split_begin(k);
	pthread_create(&t, 0, w, 0);
	__goblint_check(g == 0 || g == 3);
	__goblint_assume_join(t);
	__goblint_assert(k > 2 && g == 3);
	__goblint_split_end(k);
	return 0;
}
