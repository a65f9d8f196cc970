// sc UNSAFE tso UNSAFE
// Who keeps the address of an element of an array that grows has that of what is there no more.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static struct { int *items; size_t n, room; } v;
static int *last;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void push(int x) {
	if (v.n == v.room) {
		v.room = v.room ? 2 * v.room : 1;
		v.items = realloc(v.items, v.room * sizeof *v.items);
	}
	int *first = v.items;
	v.items[v.n++] = x;
	if (!last)
		last = first;
	*last = x;
}

static void *thread(void *arg) {
	for (int i = 0; i < 1; i++) {
		pthread_mutex_lock(&m);
		push(arg ? 2 : 1);
		pthread_mutex_unlock(&m);
	}
	return 0;
}

int main(void) {
	pthread_t a, b;
	pthread_create(&a, 0, thread, 0);
	pthread_create(&b, 0, thread, &v);
	pthread_join(a, 0);
	pthread_join(b, 0);
	int sum = 0;
	for (size_t i = 0; i < v.n; i++)
		sum += v.items[i];
	assert(v.n == 4 && sum == 6);
	free(v.items);
	return 0;
}
