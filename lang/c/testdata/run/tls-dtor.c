// sc SAFE tso SAFE pso SAFE rc11 SAFE
/* Values of threads' own with a function that is called at their end; once. */
#include <pthread.h>
#include <stdlib.h>
#include <assert.h>
#include <stdatomic.h>
static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static atomic_int alive, inits;
struct ctx { int depth; };
static void dtor(void *p) { struct ctx *c = p; assert(c->depth == 2); free(c); atomic_fetch_sub(&alive, 1); }
static void make(void) { pthread_key_create(&key, dtor); inits++; }
static struct ctx *get(void)
{
	struct ctx *c;
	pthread_once(&once, make);
	if ((c = pthread_getspecific(key)) == NULL) {
		c = calloc(1, sizeof(*c));
		alive++;
		pthread_setspecific(key, c);
	}
	return c;
}
static void *f(void *a) { get()->depth++; get()->depth++; return NULL; }
int main(void)
{
	pthread_t t, u;
	pthread_create(&t, NULL, f, NULL);
	pthread_create(&u, NULL, f, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	assert(alive == 0 && inits == 1);
	return 0;
}
