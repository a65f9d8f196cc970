// sc SAFE tso UNSAFE
#include <pthread.h>
#include <stdlib.h>
#include <assert.h>
struct foo {
	int a;
};
struct foo *volatile gp;
volatile int nesting;
void *reader(void *u) {
	nesting = 1;
	struct foo *p = gp;
	int a = p->a;
	assert(a == 1 || a == 2);
	nesting = 0;
	return 0;
}

void *writer(void *u) {
	struct foo *n = malloc(sizeof *n), *o = gp;
	n->a = 2;
	gp = n;
	while (nesting) ;
	free(o);
	return 0;
}

int main(void) {
	pthread_t r, w;
	gp = malloc(sizeof *gp);
	gp->a = 1;
	pthread_create(&r, 0, reader, 0);
	pthread_create(&w, 0, writer, 0);
	pthread_join(r, 0);
	pthread_join(w, 0);
	return 0;
}
