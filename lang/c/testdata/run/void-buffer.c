// sc SAFE
#include <stdlib.h>
#include <assert.h>
void *xmalloc(size_t n) {
	void *p = malloc(n);
	if (!p) abort();
	return p;
}

struct a {
	int x;
	struct a *n;
};
struct b {
	char c;
	long l;
};
int main(void) {
	struct a *p = xmalloc(sizeof *p);
	struct b *q = xmalloc(sizeof(struct b));
	p->x = 1;
	p->n = 0;
	q->c = 2;
	q->l = 3;
	int *v = xmalloc(3 * sizeof(int));
	v[2] = 4;
	assert(p->x + q->c + q->l + v[2] == 10);
	free(v);
	free(q);
	free(p);
}
