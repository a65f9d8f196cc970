// sc UNSAFE tso UNSAFE pso UNSAFE race UNSAFE deadlock SAFE
// a wait may end by itself
#include <assert.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>
atomic_int go; int data;
static void *sleeper(void *a)
{
	if (!atomic_load(&go))
		syscall(SYS_futex, &go, FUTEX_WAIT_PRIVATE, 0, 0, 0, 0);
	assert(data == 1);
	return 0;
}
int main(void)
{
	pthread_t t[1];
	for (int i = 0; i < 1; i++) pthread_create(&t[i], 0, sleeper, 0);
	data = 1;
	atomic_store(&go, 1);
	syscall(SYS_futex, &go, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
	for (int i = 0; i < 1; i++) pthread_join(t[i], 0);
}
