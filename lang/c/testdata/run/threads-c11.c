// sc SAFE
#include <threads.h>
#include <assert.h>
#include <stdatomic.h>
mtx_t m;
cnd_t c;
int ready, data;
once_flag f = ONCE_FLAG_INIT;
int inits;
tss_t key;
void init(void) {
	inits++;
}

int prod(void *a) {
	call_once(&f, init);
	mtx_lock(&m);
	data = 5;
	ready = 1;
	cnd_signal(&c);
	mtx_unlock(&m);
	return 3;
}

int cons(void *a) {
	call_once(&f, init);
	mtx_lock(&m);
	while (!ready) cnd_wait(&c, &m);
	assert(data == 5);
	mtx_unlock(&m);
	thrd_exit(4);
}

int main(void) {
	mtx_init(&m, mtx_plain);
	cnd_init(&c);
	thrd_t p, q;
	assert(thrd_create(&p, prod, 0) == thrd_success);
	thrd_create(&q, cons, 0);
	int r;
	thrd_join(p, &r);
	assert(r == 3);
	thrd_join(q, &r);
	assert(r == 4 && inits == 1);
	mtx_destroy(&m);
	cnd_destroy(&c);
	return 0;
}
