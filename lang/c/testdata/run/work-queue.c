// sc SAFE
#include <pthread.h>
#include <stdlib.h>
#include <assert.h>
typedef struct job {
	void (*fn)(void *);
	void *arg;
	struct job *next;
} job;
job *head;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int stop, done;
void add(void *a) {
	__sync_fetch_and_add(&done, *(int *)a);
}

void submit(void (*f)(void *), void *a) {
	job *j = malloc(sizeof *j);
	j->fn = f;
	j->arg = a;
	pthread_mutex_lock(&m);
	j->next = head;
	head = j;
	pthread_cond_signal(&c);
	pthread_mutex_unlock(&m);
}

void *worker(void *u) {
	for (;;) {
		pthread_mutex_lock(&m);
		while (!head && !stop) pthread_cond_wait(&c, &m);
		if (!head) {
			pthread_mutex_unlock(&m);
			return 0;
		}
		job *j = head;
		head = j->next;
		pthread_mutex_unlock(&m);
		j->fn(j->arg);
		free(j);
	}
}

int main(void) {
	pthread_t t;
	int x = 2, y = 3;
	pthread_create(&t, 0, worker, 0);
	submit(add, &x);
	submit(add, &y);
	pthread_mutex_lock(&m);
	stop = 1;
	pthread_cond_broadcast(&c);
	pthread_mutex_unlock(&m);
	pthread_join(t, 0);
	assert(done == 5);
}
