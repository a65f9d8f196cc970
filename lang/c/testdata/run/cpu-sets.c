// sc SAFE
// Sets of processors.
#define _GNU_SOURCE
#include <assert.h>
#include <sched.h>
int main(void) {
	cpu_set_t s, t;
	CPU_ZERO(&s);
	CPU_SET(3, &s); CPU_SET(700, &s); CPU_SET(5, &s); CPU_CLR(5, &s);
	assert(CPU_ISSET(3, &s) && CPU_ISSET(700, &s) && !CPU_ISSET(5, &s) && CPU_COUNT(&s) == 2);
	return 0;
}
