// sc SAFE tso SAFE pso SAFE rc11 SAFE
/* The kernel's doubly linked lists with their macros, under a mutex. */
#include <pthread.h>
#include <assert.h>
#include <stdlib.h>
#include <stddef.h>
struct list_head { struct list_head *next, *prev; };
#define LIST_HEAD_INIT(name) { &(name), &(name) }
#define LIST_HEAD(name) struct list_head name = LIST_HEAD_INIT(name)
static inline void INIT_LIST_HEAD(struct list_head *list) { list->next = list; list->prev = list; }
static inline void __list_add(struct list_head *new, struct list_head *prev, struct list_head *next)
{
	next->prev = new;
	new->next = next;
	new->prev = prev;
	prev->next = new;
}
static inline void list_add_tail(struct list_head *new, struct list_head *head) { __list_add(new, head->prev, head); }
static inline void __list_del(struct list_head *prev, struct list_head *next) { next->prev = prev; prev->next = next; }
static inline void list_del_init(struct list_head *entry) { __list_del(entry->prev, entry->next); INIT_LIST_HEAD(entry); }
static inline int list_empty(const struct list_head *head) { return head->next == head; }
#define list_entry(ptr, type, member) ((type *)((char *)(ptr) - (unsigned long)(&((type *)0)->member)))
#define list_for_each_entry_safe(pos, n, head, member) \
	for (pos = list_entry((head)->next, typeof(*pos), member), n = list_entry(pos->member.next, typeof(*pos), member); \
	     &pos->member != (head); pos = n, n = list_entry(n->member.next, typeof(*n), member))
static LIST_HEAD(jobs);
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
struct job { struct list_head list; int cost; };
static void *submit(void *arg)
{
	struct job *j = calloc(1, sizeof(struct job));
	j->cost = (int)(size_t)arg;
	INIT_LIST_HEAD(&j->list);
	pthread_mutex_lock(&lock);
	list_add_tail(&j->list, &jobs);
	pthread_mutex_unlock(&lock);
	return NULL;
}
int main(void)
{
	pthread_t t[2];
	struct job *j, *tmp;
	int total = 0;
	for (size_t i = 0; i < 2; i++)
		if (pthread_create(&t[i], NULL, submit, (void *)(i + 1)) != 0)
			abort();
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	pthread_mutex_lock(&lock);
	list_for_each_entry_safe(j, tmp, &jobs, list) {
		list_del_init(&j->list);
		total += j->cost;
		free(j);
	}
	assert(list_empty(&jobs));
	pthread_mutex_unlock(&lock);
	assert(total == 3);
	return 0;
}
