// sc SAFE
#include <stdlib.h>
#include <pthread.h>
#include <assert.h>
int nthreads = 2;
pthread_t *th;
int c;
pthread_mutex_t m;
void *w(void *a) {
	pthread_mutex_lock(&m);
	c++;
	pthread_mutex_unlock(&m);
	return 0;
}

int main(int argc, char **argv) {
	if (argc > 1) nthreads = atoi(argv[1]);
	th = malloc(sizeof(pthread_t) * nthreads);
	for (int i = 0; i < nthreads; i++) pthread_create(&th[i], 0, w, (void *)(long)i);
	for (int i = 0; i < nthreads; i++) pthread_join(th[i], 0);
	assert(c == nthreads);
	free(th);
}
