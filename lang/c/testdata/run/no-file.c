// sc UNSAFE tso UNSAFE pso UNSAFE rc11 UNSAFE
/* A file may be missing. */
#include <assert.h>
#include <stdio.h>
int main(void)
{
	FILE *f = fopen("log", "r");
	assert(f);
	return 0;
}
