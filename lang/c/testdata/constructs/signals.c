// SAFE
/* Functions for signals that a thread raises itself, and what was there before them. */
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>

static volatile sig_atomic_t got;

static void note(int number) { got += number; }

static void *other(void *arg) {
	pthread_kill(pthread_self(), SIGUSR2);
	return arg;
}

int main(void) {
	struct sigaction action, before;
	memset(&action, 0, sizeof action);
	action.sa_handler = note;
	sigemptyset(&action.sa_mask);
	action.sa_flags = SA_RESTART;
	assert(sigaction(SIGUSR1, &action, &before) == 0 && before.sa_handler == SIG_DFL);
	assert(signal(SIGUSR2, note) == SIG_DFL);
	assert(raise(SIGUSR1) == 0 && got == SIGUSR1);
	pthread_t t;
	pthread_create(&t, NULL, other, NULL);
	pthread_join(t, NULL);
	assert(got == SIGUSR1 + SIGUSR2);
	assert(signal(SIGUSR1, SIG_IGN) == note);
	raise(SIGUSR1);
	assert(got == SIGUSR1 + SIGUSR2);
	return 0;
}
