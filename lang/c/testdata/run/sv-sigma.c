// sc UNSAFE tso UNSAFE pso UNSAFE rc11 UNSAFE
/* Threads by a loop over malloc'ed arrays; the index races. */
#include <stdlib.h>
#include <pthread.h>
#include <string.h>
#include <assert.h>
const int SIGMA = 3;
int *array;
int array_index = -1;
void *thread(void *arg)
{
	array[array_index] = 1;
	return 0;
}
int main(void)
{
	int tid, sum;
	pthread_t *t;
	t = (pthread_t *)malloc(sizeof(pthread_t) * SIGMA);
	array = (int *)malloc(sizeof(int) * SIGMA);
	if (!t || !array) return 0;
	for (tid = 0; tid < SIGMA; tid++) {
		array_index++;
		pthread_create(&t[tid], 0, thread, 0);
	}
	for (tid = 0; tid < SIGMA; tid++)
		pthread_join(t[tid], 0);
	for (tid = sum = 0; tid < SIGMA; tid++)
		sum += array[tid];
	assert(sum == SIGMA);
	return 0;
}
