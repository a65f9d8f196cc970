// The dining philosophers: who has both forks eats.
//
// From: E. W. Dijkstra, Hierarchical ordering of sequential processes, 1971.
// Client: N philosophers (3), each of whom eats once.
// Property: a fork is with one of them (assertions), and they do not starve together
// (check with --property deadlock).
// SC:  SAFE
// TSO: SAFE. Mutexes are locked instructions.
// PSO: SAFE. Likewise.
// Deadlock: UNSAFE. Each has the fork to the left and waits for the other one.
// With -D FIXED=1 the last one takes the fork to the right first: there is no deadlock.
// Data races: SAFE. Whoever writes to a fork has it.

#include <assert.h>
#include <pthread.h>

#ifndef N
#define N 3
#endif

pthread_mutex_t fork[N];
int with[N];

static void *philosopher(void *arg) {
	int i = (int)(long)arg;
	int first = i, second = (i + 1) % N;
#ifdef FIXED
	if (i == N - 1) {
		first = 0;
		second = i;
	}
#endif
	pthread_mutex_lock(&fork[first]);
	with[first] = i + 1;
	pthread_mutex_lock(&fork[second]);
	with[second] = i + 1;
	assert(with[first] == i + 1 && with[second] == i + 1);
	pthread_mutex_unlock(&fork[second]);
	pthread_mutex_unlock(&fork[first]);
	return 0;
}

int main(void) {
	pthread_t t[N];
	for (int i = 0; i < N; i++)
		pthread_mutex_init(&fork[i], 0);
	for (long i = 0; i < N; i++)
		pthread_create(&t[i], 0, philosopher, (void *)i);
	for (int i = 0; i < N; i++)
		pthread_join(t[i], 0);
	return 0;
}
