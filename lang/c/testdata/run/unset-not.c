// sc SAFE tso SAFE
// What is copied, or only a part of, need not have been written; nor what has been on all paths.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
struct s { int a, b; unsigned c : 3, d : 5; };
struct m { pthread_mutex_t l; int v; };
int g;
struct s shared;
void *t(void *p)
{
	struct s x, y;
	x.a = 1;
	x.c = 2;
	y = x;
	shared = y;
	assert(y.a == 1 && y.c == 2);
	for (int i = 0; i < 2; i++) {
		int a[2];
		a[0] = i;
		a[1] = a[0] + 1;
		assert(a[1] == i + 1);
	}
	int c = g;
	if (c)
		x.b = 4;
	if (c)
		assert(x.b == 4);
	struct m *m = p;
	pthread_mutex_lock(&m->l);
	m->v++;
	pthread_mutex_unlock(&m->l);
	return 0;
}
int main(void)
{
	pthread_t id;
	struct m *m = malloc(sizeof *m);
	pthread_mutex_init(&m->l, 0);
	m->v = 0;
	pthread_create(&id, 0, t, m);
	g = 1;
	pthread_join(id, 0);
	assert(m->v == 1 && shared.a == 1);
	free(m);
}
