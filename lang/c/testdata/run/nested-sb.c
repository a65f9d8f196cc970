// sc SAFE tso UNSAFE pso UNSAFE rc11 UNSAFE
// Threads that share the locals of the function around them.
#include <assert.h>
#include <pthread.h>
int main(void) {
	int x = 0, y = 0, r1, r2;
	void *f(void *a) { x = 1; r1 = y; return 0; }
	void *g(void *a) { y = 1; r2 = x; return 0; }
	pthread_t s, t;
	pthread_create(&s, 0, f, 0); pthread_create(&t, 0, g, 0);
	pthread_join(s, 0); pthread_join(t, 0);
	assert(r1 || r2);
	return 0;
}
