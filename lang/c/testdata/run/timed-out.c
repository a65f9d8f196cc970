// sc UNSAFE tso UNSAFE pso UNSAFE rc11 UNSAFE
/* Locks of readers and writers with a limit of time, and threads that are waited for; the lock may not be had. */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>
pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
int x, y;
static void *w(void *a)
{
	struct timespec until = {1, 0};
	if (pthread_rwlock_timedwrlock(&l, &until) == 0) {
		x++;
		y++;
		pthread_rwlock_unlock(&l);
	}
	return &x;
}
int main(void)
{
	pthread_t t;
	struct timespec until = {1, 0};
	void *r = 0;
	pthread_create(&t, 0, w, 0);
	if (pthread_rwlock_timedrdlock(&l, &until) == 0) {
		assert(x == y);
		pthread_rwlock_unlock(&l);
	}
	int e = pthread_tryjoin_np(t, &r);
	if (e != 0) {
		assert(e == EBUSY && r == 0);
		e = pthread_timedjoin_np(t, &r, &until);
	}
	if (e == 0)
		assert(x == 1);
	else
		assert(e == ETIMEDOUT);
	return 0;
}
