// sc SAFE tso SAFE pso SAFE rc11 SAFE
/* Tables of functions, callbacks with contexts, opaque handles, unions with tags. */
#include <pthread.h>
#include <assert.h>
#include <stddef.h>
#include <stdlib.h>
typedef struct object object_t;
struct ops { const char *name; int (*step)(object_t *, int); void (*done)(object_t *); };
struct object { const struct ops *ops; union { int i; struct { short lo, hi; } pair; } u; enum { INT, PAIR } tag; };
static int step_int(object_t *o, int by) { assert(o->tag == INT); return o->u.i += by; }
static int step_pair(object_t *o, int by) { assert(o->tag == PAIR); o->u.pair.hi += by; return o->u.pair.lo++; }
static void done(object_t *o) { o->ops = NULL; }
static const struct ops int_ops = { "int", step_int, done }, pair_ops = { .name = "pair", .step = step_pair };
static object_t objs[2] = { { &int_ops, { .i = 40 }, INT }, { &pair_ops, { .pair = { 1, 2 } }, PAIR } };
static int (*const handlers[])(object_t *, int) = { step_int, step_pair };
static void *f(void *p)
{
	object_t *o = p;
	int r = o->ops->step(o, 2);
	r = handlers[o->tag](o, 0) + r * 0;
	if (o->ops->done) o->ops->done(o);
	return (void *)(ptrdiff_t)r;
}
int main(void)
{
	pthread_t t[2];
	void *r[2];
	for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, f, &objs[i]);
	for (int i = 0; i < 2; i++) pthread_join(t[i], &r[i]);
	assert((ptrdiff_t)r[0] == 42 && objs[0].ops == NULL);
	assert(objs[1].u.pair.hi == 4 && (ptrdiff_t)r[1] == 2);
	return 0;
}
