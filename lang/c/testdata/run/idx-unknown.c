// sc SAFE tso SAFE
#include <pthread.h>
#include <assert.h>
int __VERIFIER_nondet_int(void);
int tab[4];
pthread_mutex_t m;
void *t(void *a) {
	int i = __VERIFIER_nondet_int();
	if (i < 0 || i > 3) return 0;
	pthread_mutex_lock(&m);
	tab[i]++;
	assert(tab[i] <= 2);
	pthread_mutex_unlock(&m);
	return 0;
}

int main(void) {
	pthread_t x, y;
	pthread_create(&x, 0, t, 0);
	pthread_create(&y, 0, t, 0);
	pthread_join(x, 0);
	pthread_join(y, 0);
}
