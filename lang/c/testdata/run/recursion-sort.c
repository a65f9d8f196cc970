// sc SAFE tso SAFE
// Of the two calls by which a quicksort ends the last one is a loop.
#include <assert.h>
#include <pthread.h>

static int a[7] = { 5, 3, 9, 1, 7, 2, 8 };

static void swap(int *x, int *y) {
	int t = *x;
	*x = *y;
	*y = t;
}

static void sort(int lo, int hi) {
	if (lo >= hi)
		return;
	int pivot = a[hi], at = lo;
	for (int i = lo; i < hi; i++)
		if (a[i] < pivot)
			swap(&a[at++], &a[i]);
	swap(&a[at], &a[hi]);
	sort(lo, at - 1);
	sort(at + 1, hi);
}

static void *thread(void *arg) {
	sort(0, 6);
	return arg;
}

int main(void) {
	pthread_t t;
	pthread_create(&t, 0, thread, 0);
	pthread_join(t, 0);
	for (int i = 1; i < 7; i++)
		assert(a[i - 1] < a[i]);
	return 0;
}
