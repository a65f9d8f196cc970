// SAFE
#include <stdlib.h>
#include <string.h>
#include <pthread.h>
#include <assert.h>
#include <stdbool.h>
#define BUFFER_SIZE 2
typedef volatile bool Bool;
typedef struct Q_ { volatile int head, tail; int *q; } Q;
static Q *newQ(void) { Q *q = calloc(1, sizeof(Q)); q->q = malloc(BUFFER_SIZE * sizeof(int)); memset((void *)q->q, 0, BUFFER_SIZE * sizeof(int)); return q; }
static void enq(Q *q, int x) { while ((q->tail + 1) % (BUFFER_SIZE + 1) == q->head) ; q->q[q->tail % BUFFER_SIZE] = x; q->tail = q->tail + 1; }
static int deq(Q *q) { while (q->head == q->tail) ; int x = q->q[q->head % BUFFER_SIZE]; q->head = q->head + 1; return x; }
void *reader(void *a) { Q *q = (Q *)a; assert(deq(q) == 42); return NULL; }
int main(void) { Q *q = newQ(); pthread_t r; pthread_create(&r, NULL, reader, (void *)q); enq(q, 42); pthread_join(r, NULL); free(q->q); free(q); return EXIT_SUCCESS; }
