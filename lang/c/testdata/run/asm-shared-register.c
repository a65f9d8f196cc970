// sc SAFE tso SAFE pso UNSAFE
/* An output and an input in one register: what cmpxchg compares with, then what it has found or the flag. */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>

static unsigned lock;
static int count;

static bool swap(unsigned *p, unsigned was, unsigned is)
{
	bool done;
	__asm__ volatile("lock cmpxchgl %2, %0; setz %1"
		: "+m"(*p), "=a"(done) : "q"(is), "a"(was) : "memory", "cc");
	return done;
}

static unsigned char swap_by_number(unsigned *p, unsigned was, unsigned is)
{
	unsigned char done;
	__asm__ volatile("lock; cmpxchgl %3, %1; sete %b0"
		: "=a"(done), "+m"(*p) : "0"(was), "r"(is) : "memory", "cc");
	return done;
}

static unsigned found(unsigned *p, unsigned was, unsigned is)
{
	unsigned old;
	__asm__ volatile("lock; cmpxchgl %2, %1" : "=a"(old), "+m"(*p) : "r"(is), "a"(was) : "memory");
	return old;
}

/* The flag is put into the lowest byte of what was compared with. */
static unsigned mixed(unsigned *p, unsigned was, unsigned is)
{
	unsigned r;
	__asm__ volatile("lock cmpxchgl %2, %1; setz %b0" : "=a"(r), "+m"(*p) : "r"(is), "a"(was) : "memory");
	return r;
}

static void *work(void *arg)
{
	while (!swap(&lock, 0, 1))
		__asm__ volatile("pause");
	count++;
	*(volatile unsigned *)&lock = 0;
	return arg;
}

int main(void)
{
	pthread_t s, t;
	unsigned x = 0x100;
	assert(!swap(&x, 0, 1) && x == 0x100);
	assert(!swap_by_number(&x, 0, 1) && x == 0x100);
	assert(swap_by_number(&x, 0x100, 5) && x == 5);
	assert(swap(&x, 5, 0x300) && x == 0x300);
	assert(found(&x, 1, 2) == 0x300 && found(&x, 0x300, 2) == 0x300 && x == 2);
	x = 0x1234;
	assert(mixed(&x, 0x1234, 0x4321) == 0x1201);
	assert(mixed(&x, 0x1234, 7) == 0x4300);
	pthread_create(&s, 0, work, 0);
	pthread_create(&t, 0, work, 0);
	pthread_join(s, 0);
	pthread_join(t, 0);
	assert(count == 2);
	return 0;
}
