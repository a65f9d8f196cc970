// sc SAFE
// More functions that allocate.
#include <assert.h>
#include <stdlib.h>
#include <string.h>
int main(void) {
	int *p; void *q;
	if (posix_memalign((void **)&p, 64, 4 * sizeof(int))) abort();
	p[3] = 2;
	if (posix_memalign(&q, 64, sizeof(long)) != 0) return 1;
	*(long *)q = 5;
	long *r = aligned_alloc(64, 64); r[2] = 1;
	int *v = reallocarray(NULL, 3, sizeof(int)); v[2] = 9;
	v = reallocarray(v, 5, sizeof(int)); assert(v[2] == 9); v[4] = 1;
	char *s = strdup("hello"); assert(s[1] == 'e' && strlen(s) == 5);
	char *t = strndup("hello", 3); assert(strcmp(t, "hel") == 0);
	char *u = strndup("hi", 9); assert(strlen(u) == 2);
	long *vv = valloc(sizeof(long)); *vv = 3;
	free(p); free(q); free(r); free(v); free(s); free(t); free(u); free(vv);
	return 0;
}
