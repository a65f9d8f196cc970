// sc UNSAFE
// The number of a sequence lock comes round to what it was for who reads that slowly, and what is torn is taken for whole.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_uchar number, a, b;

static void *writer(void *arg) {
	for (;;) {
		unsigned char n = number;
		atomic_store(&number, n + 1);
		atomic_store(&a, !a);
		atomic_store(&b, !b);
		atomic_store(&number, n + 2);
	}
	return arg;
}

int main(void) {
	pthread_t t;
	pthread_create(&t, 0, writer, 0);
	for (;;) {
		unsigned char n = number;
		if (n & 1)
			continue;
		unsigned char x = a, y = b;
		if (number == n)
			assert(x == y);
	}
}
