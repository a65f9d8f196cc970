// sc SAFE tso SAFE pso SAFE rc11 SAFE
/* What threads have found is sorted and looked up. */
#include <stdlib.h>
#include <assert.h>
#include <pthread.h>
static int found[4];
static int cmp(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;
	return (x > y) - (x < y);
}
static void *f(void *arg)
{
	int i = *(int *)arg;
	found[i] = (7 * (i + 3)) % 5;
	return 0;
}
int main(void)
{
	pthread_t t[4];
	int id[4];
	for (int i = 0; i < 4; i++) {
		id[i] = i;
		pthread_create(&t[i], 0, f, &id[i]);
	}
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], 0);
	qsort(found, 4, sizeof(int), cmp);
	for (int i = 0; i < 3; i++)
		assert(found[i] <= found[i + 1]);
	int key = 3, *p = bsearch(&key, found, 4, sizeof found[0], cmp);
	assert(p && *p == 3);
	key = 9;
	assert(!bsearch(&key, found, 4, sizeof found[0], cmp));
	return 0;
}
