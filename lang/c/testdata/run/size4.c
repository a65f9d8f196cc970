// sc SAFE
#include <stdlib.h>
#include <pthread.h>
#include <assert.h>
struct s {
	int n;
	int a[];
};
void *w(void *u) {
	int n = *(int *)u;
	struct s *p = malloc(sizeof *p + n * sizeof(int));
	p->n = n;
	for (int i = 0; i < p->n; i++) p->a[i] = 1;
	char b[n];
	b[n - 1] = 1;
	int r = p->n + b[n - 1];
	free(p);
	assert(r == n + 1);
	return 0;
}

int main(void) {
	pthread_t t;
	volatile int n = 2;
	pthread_create(&t, 0, w, (void *)&n);
	n = 3;
	pthread_join(t, 0);
}
