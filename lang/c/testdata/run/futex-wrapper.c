// sc SAFE tso SAFE pso SAFE
// a wrapper of the system call, as the manual has it, hands on the operation
#include <assert.h>
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

static _Atomic uint32_t iou1, iou2 = 1;
static int turns;

static int futex(void *uaddr, int op, uint32_t val) {
	return syscall(SYS_futex, uaddr, op, val, NULL, NULL, 0);
}

static void fwait(_Atomic uint32_t *f) {
	for (;;) {
		uint32_t one = 1;
		if (atomic_compare_exchange_strong(f, &one, 0))
			break;
		if (futex(f, FUTEX_WAIT, 0) == -1 && errno != EAGAIN)
			assert(0);
	}
}

static void fpost(_Atomic uint32_t *f) {
	uint32_t zero = 0;
	if (atomic_compare_exchange_strong(f, &zero, 1))
		futex(f, FUTEX_WAKE, 1);
}

static void *child(void *arg) {
	for (int i = 0; i < 2; i++) {
		fwait(&iou1);
		assert(turns % 2 == 1);
		turns++;
		fpost(&iou2);
	}
	return arg;
}

int main(void) {
	pthread_t t;
	pthread_create(&t, 0, child, 0);
	for (int i = 0; i < 2; i++) {
		fwait(&iou2);
		assert(turns % 2 == 0);
		turns++;
		fpost(&iou1);
	}
	pthread_join(t, 0);
	assert(turns == 4);
	return 0;
}
