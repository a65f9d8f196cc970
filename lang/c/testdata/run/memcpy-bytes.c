// sc SAFE tso SAFE rc11 SAFE
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
struct message {
	int type;
	short more;
	long value;
};
static char slot[sizeof(struct message)];
static atomic_int full;

static void *produce(void *arg) {
	struct message m = { 1, -2, 0x1122334455667788 };
	memcpy(slot, &m, sizeof m);
	atomic_store_explicit(&full, 1, memory_order_release);
	return 0;
}

int main(void) {
	pthread_t t;
	pthread_create(&t, 0, produce, 0);
	while (!atomic_load_explicit(&full, memory_order_acquire)) ;
	struct message m;
	memcpy(&m, slot, sizeof m);
	assert(m.type == 1 && m.more == -2 && m.value == 0x1122334455667788 && slot[4] == -2 && slot[8] == (char)0x88);
	pthread_join(t, 0);
	return 0;
}
