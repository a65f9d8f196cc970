// sc SAFE tso SAFE pso SAFE rc11 SAFE
/* What programs ask of the system, of which nothing or little is known. */
#include <assert.h>
#include <err.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
static pid_t other;
static void *w(void *a)
{
	struct sched_param p = {.sched_priority = sched_get_priority_max(SCHED_FIFO)};
	int policy;
	pthread_getschedparam(pthread_self(), &policy, &p);
	assert(policy >= 0);
	other = gettid();
	return 0;
}
int main(void)
{
	pthread_t t;
	struct rusage u;
	struct timespec s;
	sigset_t set;
	char c, d[4] = "abc";
	int k, *p = memalign(64, sizeof *p);
	*p = 1;
	free(p);
	sigemptyset(&set);
	sigdelset(&set, SIGINT);
	sigprocmask(SIG_BLOCK, &set, 0);
	alarm(10);
	getrusage(RUSAGE_SELF, &u);
	clock_getres(CLOCK_MONOTONIC, &s);
	clock_nanosleep(CLOCK_MONOTONIC, 0, &s, 0);
	if (scanf("%c%d", &c, &k) == 2 && k == c)
		assert(k >= -128 && k < 128);
	FILE *f = fopen("log", "w");
	if (!f)
		err(EXIT_FAILURE, "%s", "log");
	fprintf(f, "%d", k);
	fclose(f);
	pthread_create(&t, 0, w, 0);
	k = pthread_kill(t, 0);
	assert(k == 0 || k == 3);
	pthread_join(t, 0);
	assert(other != getpid() && gettid() == getpid());
	assert(strcasecmp("aBc", "AbC") == 0 && strncasecmp("ab", "AC", 1) == 0 && strcasecmp("ab", "AC") < 0 && strcasecmp("a", "A\xe4") < 0);
	bzero(d, 2);
	assert(d[1] == 0 && d[2] == 'c');
	return 0;
}
