// sc SAFE tso SAFE rc11 SAFE
// What walks along a name stays in the object that the name is in, so that it does not read the clock.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct item {
	struct item *next;
	int key;
	char name[4];
};
static struct item *head;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *add(void *key)
{
	struct item *i = malloc(sizeof *i);
	i->key = (int)(long)key;
	strcpy(i->name, "ab");
	pthread_mutex_lock(&m);
	i->next = head;
	head = i;
	pthread_mutex_unlock(&m);
	return 0;
}

int main(void)
{
	pthread_t t;
	struct timespec begin, end;
	clock_gettime(CLOCK_MONOTONIC, &begin);
	pthread_create(&t, 0, add, (void *)1);
	add((void *)2);
	pthread_join(t, 0);
	int sum = 0;
	for (struct item *i = head; i; i = i->next)
		if (!strcmp(i->name, "ab"))
			sum += i->key;
	clock_gettime(CLOCK_MONOTONIC, &end);
	assert(sum == 3);
	return end.tv_sec < begin.tv_sec;
}
