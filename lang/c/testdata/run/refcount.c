// sc SAFE tso SAFE
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
struct o {
	atomic_int rc;
	int data;
};
static void put(struct o *o) {
	if (atomic_fetch_sub_explicit(&o->rc, 1, memory_order_release) == 1) {
		atomic_thread_fence(memory_order_acquire);
		free(o);
	}
}

void *t(void *a) {
	struct o *o = a;
	int x = o->data;
	(void)x;
	put(o);
	return 0;
}

int main(void) {
	struct o *o = malloc(sizeof *o);
	o->data = 1;
	atomic_init(&o->rc, 2);
	pthread_t x;
	pthread_create(&x, 0, t, o);
	int y = o->data;
	(void)y;
	put(o);
	pthread_join(x, 0);
	return 0;
}
