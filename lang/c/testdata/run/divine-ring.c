// sc SAFE tso SAFE pso UNSAFE rc11 UNSAFE
/* A ring written in the manner of C++: functions with this, template by macros, volatile indices. */
#include <pthread.h>
#include <assert.h>
#define RING(T, SIZE) \
	struct Ring_##T { volatile int reader; T q[SIZE]; volatile int writer; }; \
	static void Ring_##T##_enqueue(struct Ring_##T *this, T x) \
	{ \
		while ((this->writer + 1) % SIZE == this->reader) ; \
		this->q[this->writer] = x; \
		this->writer = (this->writer + 1) % SIZE; \
	} \
	static T Ring_##T##_dequeue(struct Ring_##T *this) \
	{ \
		T x = this->q[this->reader]; \
		this->reader = (this->reader + 1) % SIZE; \
		return x; \
	} \
	static _Bool Ring_##T##_empty(struct Ring_##T *this) { return this->reader == this->writer; }
RING(int, 3)
static struct Ring_int r;
static void *reader(void *x)
{
	struct Ring_int *ring = x;
	int val, last = 0, i;
	for (i = 0; i < 3; i++) {
		while (Ring_int_empty(ring)) ;
		val = Ring_int_dequeue(ring);
		assert(val == last + 1);
		last = val;
	}
	assert(Ring_int_empty(ring));
	return NULL;
}
int main()
{
	pthread_t p;
	pthread_create(&p, NULL, reader, &r);
	for (int i = 0; i < 3; i++)
		Ring_int_enqueue(&r, i + 1);
	pthread_join(p, NULL);
	return 0;
}
