// sc SAFE tso SAFE pso SAFE rc11 SAFE
/* Floating point that is computed and printed, and decides of nothing. */
#include <stdio.h>
#include <stdlib.h>
#include <pthread.h>
#include <time.h>
#include <assert.h>
#define N 2
static int done[N];
static double elapsed[N], total;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static double seconds(struct timespec *a, struct timespec *b) { return (b->tv_sec - a->tv_sec) + (b->tv_nsec - a->tv_nsec) / 1e9; }
static void *f(void *arg)
{
	long i = (long)arg;
	struct timespec a, b;
	clock_gettime(CLOCK_MONOTONIC, &a);
	done[i] = 1;
	clock_gettime(CLOCK_MONOTONIC, &b);
	elapsed[i] = seconds(&a, &b);
	pthread_mutex_lock(&m);
	total += elapsed[i] * 0.5;
	pthread_mutex_unlock(&m);
	return 0;
}
int main(void)
{
	pthread_t t[N];
	for (long i = 0; i < N; i++)
		pthread_create(&t[i], 0, f, (void *)i);
	for (int i = 0; i < N; i++)
		pthread_join(t[i], 0);
	printf("%f seconds, %.2f each\n", total, total / N);
	return 0;
}
