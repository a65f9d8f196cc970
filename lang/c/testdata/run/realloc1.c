// sc SAFE
#include <stdlib.h>
#include <assert.h>
int main(void) {
	int *p = malloc(2 * sizeof(int));
	p[0] = 1;
	p[1] = 2;
	p = realloc(p, 4 * sizeof(int));
	p[2] = 3;
	assert(p[0] == 1 && p[1] == 2 && p[2] == 3);
	free(p);
	return 0;
}
