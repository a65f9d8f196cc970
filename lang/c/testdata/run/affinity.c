// sc SAFE tso SAFE
// Threads that ask for a processor of their own. What else programs ask the system for is in system.c: in one program, each
// thread would have the states of the two together.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <unistd.h>
static void pin(int core) {
	cpu_set_t set;
	CPU_ZERO(&set);
	CPU_SET(core, &set);
	if (pthread_setaffinity_np(pthread_self(), sizeof(set), &set) != 0) perror("affinity");
	sched_setaffinity(0, sizeof set, &set);
	if (CPU_ISSET(core, &set)) printf("%d of %d\n", core, CPU_COUNT(&set));
	sched_getaffinity(0, sizeof set, &set);
	pthread_getaffinity_np(pthread_self(), sizeof(set), &set);
}
int shared;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *w(void *a) {
	long id = (long)a;
	if (id == 0) pin(id % sysconf(_SC_NPROCESSORS_ONLN)); // for another one it is the same, at the price of many states
	pthread_mutex_lock(&m);
	shared += 1;
	pthread_mutex_unlock(&m);
	return NULL;
}
int main(void) {
	pthread_t t[2];
	for (long i = 0; i < 2; i++) pthread_create(&t[i], NULL, w, (void *)i);
	for (int i = 0; i < 2; i++) pthread_join(t[i], NULL);
	assert(shared == 2);
	return 0;
}
