// sc SAFE tso SAFE pso SAFE rc11 SAFE
// Functions of the program that have the names of others in headers that it includes: remove, getline, index.
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <strings.h>

struct set { int in[4]; pthread_mutex_t lock; } set = { { 1, 1, 0, 1 }, PTHREAD_MUTEX_INITIALIZER };
static int lines;

bool remove(struct set *s, int k)
{
	pthread_mutex_lock(&s->lock);
	bool was = s->in[k];
	s->in[k] = 0;
	pthread_mutex_unlock(&s->lock);
	return was;
}

static int getline(char *line, int most)
{
	line[0] = 0;
	lines++;
	return most;
}

int *index(struct set *s, int k) { return &s->in[k]; }

static void *two(void *arg)
{
	remove(&set, 0);
	assert(!remove(&set, 2));
	return 0;
}

int main(void)
{
	char line[8];
	pthread_t t;
	pthread_create(&t, 0, two, 0);
	bool was = remove(&set, 1);
	pthread_join(t, 0);
	assert(was && !*index(&set, 0) && *index(&set, 3) == 1);
	assert(getline(line, sizeof line) == 8 && lines == 1);
	return 0;
}
