// sc SAFE tso SAFE pso SAFE rc11 SAFE
/* Structures by value in and out of functions, nested initialisers, arrays of structures of arrays, flexible members. */
#include <pthread.h>
#include <stdlib.h>
#include <assert.h>
struct vec { int n; struct { short x, y; } p[2]; };
struct packet { unsigned len; unsigned char body[]; };
static struct vec scale(struct vec v, int k) { for (int i = 0; i < v.n; i++) { v.p[i].x *= k; v.p[i].y *= k; } return v; }
static struct vec base = { 2, { { 1, 2 }, [1].y = 5 } };
static struct packet *mk(unsigned n)
{
	struct packet *p = malloc(sizeof *p + n);
	p->len = n;
	for (unsigned i = 0; i < n; i++) p->body[i] = (unsigned char)(i ^ 0x5a);
	return p;
}
static void *f(void *a)
{
	*(struct vec *)a = scale(scale(base, 2), 3);
	return mk(3);
}
int main(void)
{
	pthread_t t;
	struct vec out, *o = &out;
	void *r;
	pthread_create(&t, 0, f, o);
	pthread_join(t, &r);
	struct packet *p = r;
	assert(out.p[0].x == 6 && o->p[0].y == 12 && (*o).p[1].y == 30 && out.p[1].x == 0);
	assert(p->len == 3 && p->body[2] == (2 ^ 0x5a));
	free(p);
	assert(scale((struct vec){ .n = 1, .p = { { 7, 8 } } }, -1).p[0].x == -7);
	return 0;
}
