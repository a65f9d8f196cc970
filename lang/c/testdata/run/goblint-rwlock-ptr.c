// sc SAFE tso SAFE pso SAFE
/* Locks through pointers chosen at run time; both sides choose alike. */
#include <pthread.h>
#include <assert.h>
#include <stdlib.h>
int g1, g2;
pthread_rwlock_t l1 = PTHREAD_RWLOCK_INITIALIZER, l2 = PTHREAD_RWLOCK_INITIALIZER;
struct pair { pthread_rwlock_t *lock; int *data; } pairs[] = { { &l1, &g1 }, { &l2, &g2 } };
void *f(void *arg)
{
	struct pair *p = &pairs[(size_t)arg % (sizeof pairs / sizeof *pairs)];
	pthread_rwlock_wrlock(p->lock);
	*p->data += 1;
	*p->data -= 1;
	pthread_rwlock_unlock(p->lock);
	pthread_rwlock_rdlock(p->lock);
	assert(*p->data == 0);
	pthread_rwlock_unlock(p->lock);
	return NULL;
}
int main(void)
{
	pthread_t t[3];
	for (size_t i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, f, (void *)i);
	for (size_t i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	return 0;
}
