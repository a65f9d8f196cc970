// A bounded buffer with a mutex and two conditions.
//
// From: C. A. R. Hoare, Monitors, CACM 1974, as POSIX has it.
// Client: PRODUCERS producers (1) put ITEMS numbers (2) each, a consumer takes them all; the
// buffer has room for one.
// Property: what is taken has been put, each once.
// SC:  SAFE
// TSO: SAFE. Mutexes are locked instructions.
// PSO: SAFE. Likewise.
// Data races: SAFE. The mutex is held at every access.
// With -D FORGET=1 the consumer looks at how many there are before it takes the mutex: a data
// race, though nothing else goes wrong.

#include <assert.h>
#include <pthread.h>

#ifndef PRODUCERS
#define PRODUCERS 1
#endif

#ifndef ITEMS
#define ITEMS 2
#endif

int slot, full, sum;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t not_full = PTHREAD_COND_INITIALIZER, not_empty = PTHREAD_COND_INITIALIZER;

static void *producer(void *arg) {
	for (int i = 1; i <= ITEMS; i++) {
		pthread_mutex_lock(&mutex);
		while (full)
			pthread_cond_wait(&not_full, &mutex);
		slot = i;
		full = 1;
		pthread_cond_signal(&not_empty);
		pthread_mutex_unlock(&mutex);
	}
	return 0;
}

static void *consumer(void *arg) {
	for (int i = 0; i < PRODUCERS * ITEMS; i++) {
#ifdef FORGET
		int there = full;
#endif
		pthread_mutex_lock(&mutex);
		while (!full)
			pthread_cond_wait(&not_empty, &mutex);
		sum += slot;
		full = 0;
		pthread_cond_signal(&not_full);
		pthread_mutex_unlock(&mutex);
	}
	return 0;
}

int main(void) {
	pthread_t p[PRODUCERS], c;
	for (int i = 0; i < PRODUCERS; i++)
		pthread_create(&p[i], 0, producer, 0);
	pthread_create(&c, 0, consumer, 0);
	for (int i = 0; i < PRODUCERS; i++)
		pthread_join(p[i], 0);
	pthread_join(c, 0);
	assert(sum == PRODUCERS * ITEMS * (ITEMS + 1) / 2);
	return 0;
}
