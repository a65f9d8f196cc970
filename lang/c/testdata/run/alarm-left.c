// sc UNSAFE tso UNSAFE pso UNSAFE rc11 UNSAFE
/* Some time of the first alarm is left. */
#include <assert.h>
#include <unistd.h>
int main(void)
{
	alarm(10);
	assert(alarm(0) == 0);
	return 0;
}
