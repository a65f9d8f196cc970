// sc SAFE tso SAFE pso SAFE rc11 SAFE
// Functions of the program that have the names of others, of files and of types in headers that it includes, before it has them and after; strdup and labs are
// those of the library, which ours have bodies of.
#include <assert.h>
#include <pthread.h>

struct set { int in[2]; } set = { { 1, 1 } };
static int remove(struct set *s, int k);

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>

static int now, stats;
static int time(void) { return ++now; }
static int stat(int more) { return stats += more; }
static int div(int *a) { return *a / 2; }

static int remove(struct set *s, int k)
{
	int was = s->in[k];
	s->in[k] = 0;
	return was;
}

char *strdup(const char *s)
{
	char *copy = malloc(strlen(s) + 1);
	strcpy(copy, s);
	copy[0]++;
	return copy;
}

long labs(long n) { return n < 0 ? 1 : 0; }

static void *one(void *arg)
{
	assert(remove(&set, 0));
	return 0;
}

int main(void)
{
	pthread_t t;
	struct stat s;
	struct timespec pause = { 0, 1 };
	int four = 4;
	char *copy = strdup("ab");
	assert(copy[0] == 'b' && copy[1] == 'b');
	assert(labs(-5) == 1 && labs(5) == 0 && llabs(-5) == 5);
	pthread_create(&t, 0, one, 0);
	nanosleep(&pause, 0);
	s.st_size = 3;
	assert(time() == 1 && stat(2) == 2 && s.st_size == 3 && div(&four) == 2);
	pthread_join(t, 0);
	assert(!set.in[0] && set.in[1]);
	free(copy);
	return 0;
}
