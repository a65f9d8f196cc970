// sc SAFE tso SAFE pso UNSAFE rc11 UNSAFE
/* Concurrency Kit's queue for one producer and one consumer, with the fences of its port to x86: none. */
#include <pthread.h>
#include <stdlib.h>
#include <assert.h>
struct ck_fifo_spsc_entry { void *value; struct ck_fifo_spsc_entry *next; };
typedef struct ck_fifo_spsc_entry ck_fifo_spsc_entry_t;
typedef struct ck_fifo_spsc {
	struct ck_fifo_spsc_entry *head;
	char pad[64 - sizeof(struct ck_fifo_spsc_entry *)];
	struct ck_fifo_spsc_entry *tail;
	char pad2[64 - sizeof(struct ck_fifo_spsc_entry *)];
	struct ck_fifo_spsc_entry *garbage;
} ck_fifo_spsc_t;
#define ck_pr_load_ptr(p) __atomic_load_n((p), __ATOMIC_RELAXED)
#define ck_pr_store_ptr(p, v) __atomic_store_n((p), (v), __ATOMIC_RELAXED)
#define ck_pr_fence_store() __asm__ __volatile__("" ::: "memory")
static void ck_fifo_spsc_init(struct ck_fifo_spsc *fifo, struct ck_fifo_spsc_entry *stub)
{
	fifo->head = fifo->tail = fifo->garbage = stub;
	fifo->head->next = NULL;
}
static void ck_fifo_spsc_enqueue(struct ck_fifo_spsc *fifo, struct ck_fifo_spsc_entry *entry, void *value)
{
	entry->value = value;
	entry->next = NULL;
	ck_pr_fence_store();
	ck_pr_store_ptr(&fifo->tail->next, entry);
	ck_pr_store_ptr(&fifo->tail, entry);
}
static int ck_fifo_spsc_dequeue(struct ck_fifo_spsc *fifo, void *value)
{
	struct ck_fifo_spsc_entry *entry = ck_pr_load_ptr(&fifo->head->next);
	if (entry == NULL)
		return 0;
	*(void **)value = entry->value;
	ck_pr_store_ptr(&fifo->head, entry);
	return 1;
}
static ck_fifo_spsc_t q;
static ck_fifo_spsc_entry_t entries[3];
static int data[2];
static void *producer(void *a)
{
	for (int i = 0; i < 2; i++) {
		data[i] = i + 1;
		ck_fifo_spsc_enqueue(&q, entries + i + 1, &data[i]);
	}
	return NULL;
}
int main(void)
{
	pthread_t t;
	int *p, last = 0;
	ck_fifo_spsc_init(&q, entries);
	pthread_create(&t, NULL, producer, NULL);
	for (int i = 0; i < 2; i++)
		if (ck_fifo_spsc_dequeue(&q, &p)) {
			assert(*p == last + 1);
			last = *p;
		}
	pthread_join(t, NULL);
	return 0;
}
