// sc SAFE tso SAFE pso UNSAFE
// The same without memory orders and with a flag in the bytes.
#include <assert.h>
#include <pthread.h>
#include <string.h>
static char slot[8];

static void *produce(void *arg) {
	int value = 0x01020304;
	memcpy(slot, &value, sizeof value);
	__atomic_store_n((short *)&slot[6], 1, __ATOMIC_RELEASE);
	return 0;
}

int main(void) {
	pthread_t t;
	pthread_create(&t, 0, produce, 0);
	if (__atomic_load_n(&slot[6], __ATOMIC_ACQUIRE)) {
		int value;
		memcpy(&value, slot, sizeof value);
		assert(value == 0x01020304);
	}
	return 0;
}
