// sc SAFE tso UNSAFE
#include <pthread.h>
#include <assert.h>
volatile long H, T;
long elems[4];
int taken[3];
pthread_mutex_t L = PTHREAD_MUTEX_INITIALIZER;
void push(long e) {
	long t = T;
	elems[t] = e;
	T = t + 1;
}

long pop(void) {
	long t = T - 1;
	T = t;
	long h = H;
	if (h > t) {
		T = t + 1;
		pthread_mutex_lock(&L);
		t = T - 1;
		T = t;
		h = H;
		if (h > t) {
			T = t + 1;
			pthread_mutex_unlock(&L);
			return -1;
		}
		pthread_mutex_unlock(&L);
	} return elems[t];
}

long steal(void) {
	pthread_mutex_lock(&L);
	long h = H;
	H = h + 1;
	if (h + 1 > T) {
		H = h;
		pthread_mutex_unlock(&L);
		return -1;
	}
	long e = elems[h];
	pthread_mutex_unlock(&L);
	return e;
}

void *thief(void *u) {
	long e = steal();
	if (e > 0) __sync_fetch_and_add(&taken[e], 1);
	return 0;
}

int main(void) {
	pthread_t t;
	push(1);
	pthread_create(&t, 0, thief, 0);
	push(2);
	long e = pop();
	if (e > 0) __sync_fetch_and_add(&taken[e], 1);
	e = pop();
	if (e > 0) __sync_fetch_and_add(&taken[e], 1);
	pthread_join(t, 0);
	assert(taken[1] <= 1 && taken[2] <= 1);
}
