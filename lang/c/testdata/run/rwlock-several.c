// sc SAFE tso SAFE pso SAFE
/* Two read-write locks that each thread has at once, one of them twice, are given back in any order. */
#include <pthread.h>
pthread_rwlock_t l[2]; int n;
void *f(void *v) {
	pthread_rwlock_rdlock(&l[0]); pthread_rwlock_rdlock(&l[1]); pthread_rwlock_rdlock(&l[0]);
	int k = n;
	pthread_rwlock_unlock(&l[k % 2]); pthread_rwlock_unlock(&l[0]); pthread_rwlock_unlock(&l[1 - (k % 2)]);
	pthread_rwlock_wrlock(&l[1]); n += 2; pthread_rwlock_unlock(&l[1]);
	return 0;
}
int main(void) {
	pthread_t t, u;
	pthread_rwlock_init(&l[0], 0); pthread_rwlock_init(&l[1], 0);
	pthread_create(&t, 0, f, 0); pthread_create(&u, 0, f, 0);
	pthread_join(t, 0); pthread_join(u, 0);
	return 0;
}
