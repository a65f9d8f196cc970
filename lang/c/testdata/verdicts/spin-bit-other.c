// A bit of a word is the lock, and another bit is given back.
// sc SAFE, tso SAFE, pso SAFE, race SAFE, deadlock UNSAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_uint word;
int c;

static void *a(void *arg)
{
	do {
		while (atomic_load(&word) & 4)
			;
	} while (atomic_fetch_or(&word, 4) & 4);
	c++;
	atomic_fetch_and(&word, ~8u);
	return 0;
}

int main(void)
{
	pthread_t h[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&h[i], 0, a, 0);
	atomic_fetch_xor(&word, 1);
	for (int i = 0; i < 2; i++)
		pthread_join(h[i], 0);
	assert(word == 1);
	return 0;
}
