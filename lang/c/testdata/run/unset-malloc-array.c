// sc UNSAFE tso UNSAFE
// What is read is given back.
#include <assert.h>
#include <stdlib.h>
int main(void)
{
	int *a = malloc(4 * sizeof(int));
	a[1] = 5;
	assert(a[0] == 0);
	free(a);
}
