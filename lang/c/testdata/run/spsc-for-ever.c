// sc SAFE tso SAFE
#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>
#define N 2
int buf[N];
atomic_uchar head, tail;
void *p(void *a) {
	for (unsigned char i = 0;; i = (i + 1) % 4) {
		while ((unsigned char)(atomic_load_explicit(&head, memory_order_relaxed) - atomic_load_explicit(&tail, memory_order_acquire)) % 4 == N) ;
		buf[head % N] = i;
		atomic_store_explicit(&head, (head + 1) % 4, memory_order_release);
	} return 0;
}

void *c(void *a) {
	for (unsigned char i = 0;; i = (i + 1) % 4) {
		while (atomic_load_explicit(&head, memory_order_acquire) == atomic_load_explicit(&tail, memory_order_relaxed)) ;
		assert(buf[tail % N] == i);
		atomic_store_explicit(&tail, (tail + 1) % 4, memory_order_release);
	} return 0;
}

int main(void) {
	pthread_t x, y;
	pthread_create(&x, 0, p, 0);
	pthread_create(&y, 0, c, 0);
	pthread_join(x, 0);
}
