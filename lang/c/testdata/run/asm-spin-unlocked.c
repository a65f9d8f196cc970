// sc UNSAFE tso UNSAFE
#include <assert.h>
#include <pthread.h>
static volatile int lock = 1;
static int n;
static void take(volatile int *l)
{
	asm volatile("1:\n\t"
		"decl %0\n\t"
		"jns 3f\n"
		"2:\tpause\n\t"
		"cmpl $0, %0\n\t"
		"jle 2b\n\t"
		"jmp 1b\n"
		"3:" : "+m" (*l) : : "memory");
}
static void give(volatile int *l) { asm volatile("movl $1, %0" : "=m" (*l) : : "memory"); }
static void *run(void *a) { take(&lock); n = n + 1; give(&lock); return a; }
int main(void) {
	pthread_t s, t, u;
	pthread_create(&s, 0, run, 0); pthread_create(&t, 0, run, 0); pthread_create(&u, 0, run, 0);
	pthread_join(s, 0); pthread_join(t, 0); pthread_join(u, 0);
	assert(n == 3);
	return 0;
}
