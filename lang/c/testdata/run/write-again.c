// sc SAFE tso SAFE pso SAFE
// Who is interrupted tries again, and gets any other error told.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <unistd.h>

static int errors;

static void *say(void *arg) {
	ssize_t n;
	while ((n = write(1, "x", 1)) == -1 && errno == EINTR)
		continue;
	assert(n != -1 || errno != EINTR);
	if (n == -1)
		__atomic_fetch_add(&errors, errno > 0, __ATOMIC_RELAXED);
	return 0;
}

int main(void) {
	pthread_t t;
	pthread_create(&t, 0, say, 0);
	errno = 0;
	assert(errno == 0); /* that of the other thread is another one */
	pthread_join(t, 0);
	assert(errors == 0 || errors == 1);
	return 0;
}
