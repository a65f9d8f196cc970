// Who takes a lock of atomic_flag twice waits for herself.
// sc SAFE, tso SAFE, pso SAFE, race SAFE, deadlock UNSAFE

#include <pthread.h>
#include <stdatomic.h>

atomic_flag l = ATOMIC_FLAG_INIT;
int c;

void *a(void *arg)
{
	while (atomic_flag_test_and_set(&l))
		;
	c++;
	while (atomic_flag_test_and_set(&l))
		;
	c++;
	atomic_flag_clear(&l);
	return 0;
}

int main(void)
{
	pthread_t h;
	pthread_create(&h, 0, a, 0);
	pthread_join(h, 0);
	return 0;
}
