// sc SAFE tso SAFE pso SAFE rc11 SAFE
// A mutex and a counter in memory from mmap, which holds 0 at first.
#define _GNU_SOURCE
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <pthread.h>
struct shared { pthread_mutex_t m; int count; int ready; };
static struct shared *s;
static void *w(void *a) { pthread_mutex_lock(&s->m); s->count++; pthread_mutex_unlock(&s->m); return NULL; }
int main(void) {
	s = mmap(NULL, sizeof(struct shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (s == MAP_FAILED) { perror("mmap"); exit(EXIT_FAILURE); }
	assert(s->count == 0);
	pthread_mutexattr_t at; pthread_mutexattr_init(&at); pthread_mutexattr_setpshared(&at, PTHREAD_PROCESS_SHARED);
	pthread_mutex_init(&s->m, &at);
	pthread_t t[2];
	for (int i = 0; i < 2; i++) pthread_create(&t[i], NULL, w, NULL);
	for (int i = 0; i < 2; i++) pthread_join(t[i], NULL);
	assert(s->count == 2);
	if (munmap(s, sizeof(struct shared)) == -1) { perror("munmap"); return 1; }
	return 0;
}
