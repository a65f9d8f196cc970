// sc SAFE, tso SAFE, pso SAFE, race SAFE, deadlock SAFE
// What a producer chooses at random goes through a buffer; that it is in range is all that is asked of it.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define SIZE 2

static int *buffer, in, out, count;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER, emptied = PTHREAD_COND_INITIALIZER;

static void *produce(void *arg) {
	for (int i = 0; i < 3; i++) {
		int item = rand() % 100 + 1;
		pthread_mutex_lock(&m);
		while (count == SIZE)
			pthread_cond_wait(&emptied, &m);
		buffer[in] = item;
		in = (in + 1) % SIZE;
		count++;
		printf("produced %d\n", item);
		pthread_cond_signal(&filled);
		pthread_mutex_unlock(&m);
	}
	return 0;
}

static void *consume(void *arg) {
	for (int i = 0; i < 3; i++) {
		pthread_mutex_lock(&m);
		while (count == 0)
			pthread_cond_wait(&filled, &m);
		int item = buffer[out];
		assert(item >= 1 && item <= 100);
		out = (out + 1) % SIZE;
		count--;
		printf("consumed %d\n", item);
		pthread_cond_signal(&emptied);
		pthread_mutex_unlock(&m);
	}
	return 0;
}

int main(void) {
	pthread_t p, c;
	srand(1);
	buffer = malloc(SIZE * sizeof *buffer);
	pthread_create(&p, 0, produce, 0);
	pthread_create(&c, 0, consume, 0);
	pthread_join(p, 0);
	pthread_join(c, 0);
	assert(count == 0);
	free(buffer);
}
