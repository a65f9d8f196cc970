// Memory is aligned to powers of two.
// sc UNSAFE, tso UNSAFE, pso UNSAFE, race SAFE, deadlock SAFE

#include <stdlib.h>

int main(void)
{
	int *p = aligned_alloc(64, 128);
	int *q = aligned_alloc(sizeof(int) * 3, 36);
	free(p);
	free(q);
	return 0;
}
