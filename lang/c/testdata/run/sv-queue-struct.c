// sc SAFE tso SAFE pso SAFE rc11 SAFE
/* A queue passed by pointer, functions of the old style, K&R main. */
#include <pthread.h>
#include <assert.h>
#define SIZE 4
#define EMPTY (-1)
typedef struct { int element[SIZE]; int head; int tail; int amount; } QType;
pthread_mutex_t m;
int stored_elements[SIZE];
_Bool enqueue_flag, dequeue_flag;
QType queue;
int init(QType *q) { q->head = 0; q->tail = 0; q->amount = 0; }
int empty(QType *q)
{
	if (q->head == q->tail)
		return EMPTY;
	else
		return 0;
}
int enqueue(q, x)
	QType *q;
	int x;
{
	q->element[q->tail] = x;
	q->amount++;
	if (q->tail == SIZE)
		q->tail = 1;
	else
		q->tail++;
	return 0;
}
int dequeue(QType *q)
{
	int x;
	x = q->element[q->head];
	q->amount--;
	q->head == SIZE ? (q->head = 1) : q->head++;
	return x;
}
void *t1(void *arg)
{
	int value = 3, i;
	pthread_mutex_lock(&m);
	if (enqueue_flag) {
		for (i = 0; i < SIZE; i++) {
			value++;
			enqueue(&queue, value);
			stored_elements[i] = value;
		}
		enqueue_flag = 0;
		dequeue_flag = 1;
	}
	pthread_mutex_unlock(&m);
	return 0;
}
void *t2(void *arg)
{
	int i;
	pthread_mutex_lock(&m);
	if (dequeue_flag) {
		for (i = 0; i < SIZE; i++) {
			if (empty(&queue) != EMPTY)
				assert(dequeue(&queue) == stored_elements[i]);
		}
		dequeue_flag = 0;
		enqueue_flag = 1;
	}
	pthread_mutex_unlock(&m);
	return 0;
}
int main()
{
	pthread_t id1, id2;
	enqueue_flag = 1;
	dequeue_flag = 0;
	init(&queue);
	assert(empty(&queue) == EMPTY);
	pthread_mutex_init(&m, 0);
	pthread_create(&id1, 0, t1, &queue);
	pthread_create(&id2, 0, t2, &queue);
	pthread_join(id1, 0);
	pthread_join(id2, 0);
	return 0;
}
