// Two wait at a futex by one function, which is given a limit or none: who has one may take the only wake, and the other waits for ever.
// sc SAFE, tso SAFE, pso SAFE, race SAFE, deadlock UNSAFE

#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

atomic_int open, waiting;
struct timespec limit = { 5, 0 };

static void wait_for(struct timespec *t)
{
	syscall(SYS_futex, &open, FUTEX_WAIT, 0, t, 0, 0);
}

void *patient(void *arg)
{
	while (!atomic_load(&open))
		wait_for(0);
	return 0;
}

void *hasty(void *arg)
{
	if (!atomic_load(&open))
		wait_for(&limit);
	return 0;
}

int main(void)
{
	pthread_t a, b;
	pthread_create(&a, 0, patient, 0);
	pthread_create(&b, 0, hasty, 0);
	atomic_store(&open, 1);
	syscall(SYS_futex, &open, FUTEX_WAKE, 1, 0, 0, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	return 0;
}
