// sc SAFE tso SAFE
// The variables of a call that another one ends are there in that one.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static int array(int *p, int n) {
	int a[1];
	a[0] = p ? *p + 1 : 0;
	if (n == 0)
		return a[0] + *p;
	return array(a, n - 1);
}

static int pointed(int *p, int n) {
	int a = p ? *p + 1 : 0;
	if (n == 0)
		return a + *p;
	return pointed(&a, n - 1);
}

static int parameter(int a, int *p, int n) {
	if (n == 0)
		return a + *p;
	return parameter(a + 1, &a, n - 1);
}

static int literal(int *p, int n) {
	if (n == 0)
		return *p;
	return literal((int[]){ *p + 1, 7 }, n - 1);
}

static int allocated(int *p, int n) {
	int *q = __builtin_alloca(sizeof *q);
	*q = p ? *p + 1 : 0;
	if (n == 0)
		return *q + *p;
	return allocated(q, n - 1);
}

struct pair { int of[2]; };
static int member(int *p, int n) {
	struct pair s = { { n, p ? *p + 1 : 0 } };
	if (n == 0)
		return s.of[1] + *p;
	return member(s.of + 1, n - 1);
}

static void *thread(void *arg) {
	assert(array(0, 3) == 5);
	assert(pointed(0, 3) == 5);
	int x = 0;
	assert(parameter(0, &x, 3) == 5);
	assert(literal(&x, 3) == 3);
	assert(allocated(0, 3) == 5);
	assert(member(0, 3) == 5);
	return arg;
}

int main(void) {
	pthread_t t;
	pthread_create(&t, 0, thread, 0);
	pthread_join(t, 0);
	return 0;
}
