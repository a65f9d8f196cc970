// sc SAFE tso SAFE
// Objects of several shapes: each keeps what it had, as far as there is room.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct pair { char a; int b[2]; };

static void *thread(void *arg) {
	int *numbers = malloc(3 * sizeof *numbers);
	struct pair *pairs = malloc(sizeof *pairs);
	for (int i = 0; i < 3; i++)
		numbers[i] = i;
	pairs->a = 7;
	pairs->b[1] = 9;
	unsigned n = arg ? 2 : 5, k = arg ? 3 : 2;
	numbers = realloc(numbers, n * sizeof *numbers);
	pairs = realloc(pairs, k * sizeof *pairs);
	pairs[1] = pairs[0];
	assert(numbers[1] == 1 && pairs[1].a == 7 && pairs[1].b[1] == 9);
	assert(n == 2 || numbers[2] == 2);
	pairs = realloc(pairs, sizeof *pairs);
	assert(pairs->b[1] == 9);
	free(numbers);
	free(pairs);
	return 0;
}

int main(void) {
	pthread_t a;
	int x;
	pthread_create(&a, 0, thread, 0);
	thread(&x);
	pthread_join(a, 0);
	return 0;
}
