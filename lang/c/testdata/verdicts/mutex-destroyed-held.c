// main destroys a mutex before the threads that use it have ended.
// sc UNSAFE, tso UNSAFE, pso UNSAFE, race SAFE, deadlock SAFE

#include <threads.h>

mtx_t m;

int user(void *arg)
{
	mtx_lock(&m);
	mtx_unlock(&m);
	return 0;
}

int main(void)
{
	thrd_t a;
	mtx_init(&m, mtx_plain);
	thrd_create(&a, user, 0);
	mtx_destroy(&m);
	thrd_join(a, 0);
	return 0;
}
