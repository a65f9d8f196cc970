// sc UNSAFE
#include <pthread.h>
int __VERIFIER_nondet_int(void);
int tab[4];
void *t(void *a) {
	int i = __VERIFIER_nondet_int();
	if (i < 0 || i > 4) return 0;
	tab[i]++;
	return 0;
}

int main(void) {
	pthread_t x;
	pthread_create(&x, 0, t, 0);
	pthread_join(x, 0);
}
