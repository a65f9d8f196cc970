// sc SAFE tso SAFE pso SAFE rc11 SAFE
/* Buckets with a mutex each, a list behind each, arguments of main. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <assert.h>
#define NB 2
struct s { int datum; struct s *next; };
static struct s *slot[NB];
static pthread_mutex_t slot_mutex[NB];
static int hash(int x) { return (unsigned)x % NB; }
static struct s *new(int x)
{
	struct s *p = malloc(sizeof(struct s));
	p->datum = x;
	p->next = NULL;
	return p;
}
static void list_add(struct s *node, struct s *list)
{
	struct s *temp = list->next;
	list->next = node;
	node->next = temp;
}
static void *t_fun(void *arg)
{
	int x = *(int *)arg, i = hash(x);
	pthread_mutex_lock(&slot_mutex[i]);
	list_add(new(x), slot[i]);
	pthread_mutex_unlock(&slot_mutex[i]);
	return NULL;
}
int main(int argc, char **argv)
{
	int j, keys[3] = { 3, 4, 5 };
	struct s *p;
	pthread_t t[3];
	if (argc > 1)
		printf("%s: %d\n", argv[0], argc);
	for (j = 0; j < NB; j++) {
		pthread_mutex_init(&slot_mutex[j], NULL);
		slot[j] = new(100);
	}
	for (j = 0; j < 3; j++)
		pthread_create(&t[j], NULL, t_fun, &keys[j]);
	for (j = 0; j < 3; j++)
		pthread_join(t[j], NULL);
	for (j = 0; j < NB; j++)
		for (p = slot[j]->next; p; p = p->next)
			assert(hash(p->datum) == j);
	return 0;
}
