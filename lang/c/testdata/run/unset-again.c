// sc UNSAFE tso UNSAFE
// The array of the second round has nothing of that of the first.
#include <assert.h>
#include <pthread.h>
int g;
void *t(void *p)
{
	for (int i = 0; i < 2; i++) {
		int a[1];
		if (g == 0)
			a[0] = 1;
		if (i == 0)
			a[0] = 1;
		assert(a[0] == 1);
	}
	return 0;
}
int main(void)
{
	pthread_t id;
	pthread_create(&id, 0, t, 0);
	g = 1;
	pthread_join(id, 0);
}
