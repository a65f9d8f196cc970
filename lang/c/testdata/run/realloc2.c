// sc UNSAFE
#include <stdlib.h>
#include <assert.h>
int main(void) {
	int *p = malloc(2 * sizeof(int));
	p[0] = 1;
	int *q = realloc(p, 4 * sizeof(int));
	p[0] = 3;
	free(q);
	return 0;
}
