// sc SAFE, tso SAFE, pso SAFE, race SAFE, deadlock SAFE
// A loop that makes more objects than there is room for where it is not known how often it is gone round.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct node {
	int v;
	struct node *next;
};
static struct node *head;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *pop(void *arg) {
	for (int i = 0; i < 3; i++) {
		pthread_mutex_lock(&m);
		struct node *n = head;
		if (n)
			head = n->next;
		pthread_mutex_unlock(&m);
		free(n);
	}
	return 0;
}

int main(void) {
	pthread_t t[2];
	for (int i = 0; i < 20; i++) {
		struct node *n = malloc(sizeof *n);
		n->v = i;
		n->next = head;
		head = n;
	}
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], 0, pop, 0);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], 0);
	assert(head && head->v == 13);
	int left = 0;
	while (head) {
		struct node *n = head;
		head = n->next;
		free(n);
		left++;
	}
	assert(left == 14);
}
