// sc SAFE tso SAFE pso SAFE race SAFE deadlock UNSAFE
// a wake of one leaves the other asleep, whatever says how many
#include <assert.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <syscall.h>
#include <unistd.h>
atomic_int go; int data;
static void *sleeper(void *a)
{
	while (!atomic_load(&go))
		syscall(SYS_futex, &go, FUTEX_WAIT_PRIVATE, 0, 0, 0, 0);
	assert(data == 1);
	return 0;
}
static void wake(volatile void *p, int count)
{
	if (count < 0) count = 0x7fffffff;
	int n = syscall(SYS_futex, p, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, count);
	assert(n >= 0);
}
int main(void)
{
	pthread_t t[2];
	for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, sleeper, 0);
	data = 1;
	atomic_store(&go, 1);
	wake(&go, data);
	for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
}
