// sc UNSAFE tso UNSAFE pso UNSAFE
/* A thread that has one read-write lock to read gives back another one, which somebody else has. */
#include <pthread.h>
pthread_rwlock_t a = PTHREAD_RWLOCK_INITIALIZER, b = PTHREAD_RWLOCK_INITIALIZER;
void *f(void *v) { pthread_rwlock_rdlock(&a); pthread_rwlock_unlock(&b); return 0; }
int main(void) {
	pthread_t t;
	pthread_rwlock_rdlock(&b);
	pthread_create(&t, 0, f, 0);
	pthread_join(t, 0);
	return 0;
}
