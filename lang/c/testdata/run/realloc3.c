// sc UNSAFE
#include <stdlib.h>
#include <assert.h>
int main(void) {
	int *p = realloc(0, 2 * sizeof(int));
	p[1] = 1;
	p = realloc(p, sizeof(int));
	p[1] = 3;
	free(p);
	return 0;
}
