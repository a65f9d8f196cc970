// sc SAFE tso SAFE pso SAFE rc11 SAFE
/* Of a key that was deleted nothing is destroyed; of another one it is. */
#include <assert.h>
#include <pthread.h>
pthread_key_t gone, there;
int x, y;
static void never(void *p) { assert(0); }
static void once(void *p) { ++*(int *)p; }
static void *w(void *a)
{
	pthread_setspecific(gone, &x);
	pthread_setspecific(there, &y);
	assert(pthread_key_delete(gone) == 0);
	return 0;
}
int main(void)
{
	pthread_t t;
	pthread_key_create(&gone, never);
	pthread_key_create(&there, once);
	pthread_create(&t, 0, w, 0);
	pthread_join(t, 0);
	assert(y == 1);
	return 0;
}
