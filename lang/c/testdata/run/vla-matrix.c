// sc SAFE tso SAFE pso SAFE rc11 SAFE
/* Arrays of arrays, pointers to arrays, blocks for threads, sizeof in bounds. */
#include <pthread.h>
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#define R 2
#define C 3
typedef int row_t[C];
static row_t m[R] = { { 1, 2, 3 }, { 4, 5, 6 } };
static int sums[R];
struct job { row_t *row; int *out; };
static int add(const int (*v)[C]) { int s = 0; for (size_t i = 0; i < sizeof *v / sizeof **v; i++) s += (*v)[i]; return s; }
static void *f(void *p) { struct job j = *(struct job *)p; *j.out = add((const int (*)[C])j.row); return 0; }
int main(void)
{
	pthread_t t[R];
	struct job jobs[R];
	int (*grid)[C] = malloc(sizeof(int[R][C]));
	memcpy(grid, m, sizeof m);
	for (int i = 0; i < R; i++) {
		jobs[i] = (struct job){ .row = &m[i], .out = sums + i };
		pthread_create(t + i, NULL, f, &jobs[i]);
	}
	for (int i = 0; i < R; i++) pthread_join(*(t + i), NULL);
	assert(sums[0] == 6 && sums[1] == 15);
	assert(grid[1][2] == 6 && *(*(grid + 1) + 1) == 5);
	free(grid);
	return 0;
}
