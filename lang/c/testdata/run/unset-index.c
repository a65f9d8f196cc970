// sc UNSAFE tso UNSAFE
// Nobody writes to the array, and which element is read is not known.
#include <assert.h>
#include <pthread.h>
int g;
void *t(void *p) { g = 1; return 0; }
int main(void)
{
	int a[2];
	pthread_t id;
	pthread_create(&id, 0, t, 0);
	int i = g;
	assert(a[i] == 0);
	pthread_join(id, 0);
}
