// sc SAFE tso SAFE
// What programs ask the system for.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>
static volatile sig_atomic_t stop;
static void on_int(int s) { stop = 1; }
static void bye(void) { puts("bye"); }
int shared;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *w(void *a) {
	long id = (long)a;
	unsigned seed = time(NULL) ^ getpid() ^ (unsigned)pthread_self() ^ syscall(SYS_gettid);
	if (sysconf(_SC_NPROCESSORS_ONLN) < 1) abort();
	char name[16];
	snprintf(name, sizeof name, "worker-%ld", id);
	pthread_setname_np(pthread_self(), name);

	struct timespec ts = { .tv_sec = 0, .tv_nsec = 1000 * (rand_r(&seed) % 10) };
	nanosleep(&ts, NULL);
	usleep(rand() % 100);
	sched_yield();
	pthread_mutex_lock(&m);
	shared += 1;
	pthread_mutex_unlock(&m);
	fprintf(stderr, "[%s] tid %d pid %d errno %d %s\n", name, gettid(), getpid(), errno, strerror(errno));
	return NULL;
}
int main(int argc, char *argv[]) {
	struct timeval a, b; struct timespec c, d;
	struct sigaction sa;
	memset(&sa, 0, sizeof sa);
	sa.sa_handler = on_int;
	sigaction(SIGINT, &sa, NULL);
	signal(SIGTERM, on_int);
	atexit(bye);
	srand(time(NULL)); srandom(1);
	gettimeofday(&a, NULL);
	clock_gettime(CLOCK_MONOTONIC, &c);
	pthread_t t[2];
	for (long i = 0; i < 2; i++) { int rc = pthread_create(&t[i], NULL, w, (void *)i); if (rc) { fprintf(stderr, "%s\n", strerror(rc)); exit(1); } }
	for (int i = 0; i < 2; i++) pthread_join(t[i], NULL);
	gettimeofday(&b, NULL);
	clock_gettime(CLOCK_MONOTONIC, &d);
	double secs = (b.tv_sec - a.tv_sec) + (b.tv_usec - a.tv_usec) / 1e6;
	double ns = (d.tv_sec - c.tv_sec) * 1e9 + (d.tv_nsec - c.tv_nsec);
	printf("%.3f s, %f Mops, %d %s\n", secs, 2 / secs / 1e6, (int)random(), getenv("HOME"));
	printf("%g\n", ns / 2);
	assert(shared == 2);
	return 0;
}
