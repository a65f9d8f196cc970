// sc SAFE tso SAFE pso SAFE rc11 SAFE
/* Variable arguments that are read. */
#include <stdarg.h>
#include <assert.h>
#include <pthread.h>
static int sum(int n, ...)
{
	va_list ap;
	int s = 0;
	va_start(ap, n);
	for (int i = 0; i < n; i++)
		s += va_arg(ap, int);
	va_end(ap);
	return s;
}
static int x;
static void *f(void *a) { __atomic_fetch_add(&x, sum(3, 1, 2, 3), __ATOMIC_SEQ_CST); return 0; }
int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, f, 0);
	f(0);
	pthread_join(t, 0);
	assert(x == 12);
	assert(sum(0) == 0);
	return 0;
}
