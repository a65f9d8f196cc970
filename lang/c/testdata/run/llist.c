// sc SAFE tso SAFE pso SAFE rc11 SAFE
/* The kernel's lock-less list: adding one by one, taking all, the order turned round. */
#include <pthread.h>
#include <assert.h>
#include <stddef.h>
#include <stdbool.h>
#include <stdlib.h>
struct llist_head { struct llist_node *first; };
struct llist_node { struct llist_node *next; };
#define LLIST_HEAD_INIT(name) { NULL }
#define LLIST_HEAD(name) struct llist_head name = LLIST_HEAD_INIT(name)
#define container_of(ptr, type, member) ({ const typeof(((type *)0)->member) *__mptr = (ptr); (type *)((char *)__mptr - offsetof(type, member)); })
#define llist_entry(ptr, type, member) container_of(ptr, type, member)
#define member_address_is_nonnull(ptr, member) ((unsigned long)(ptr) + offsetof(typeof(*(ptr)), member) != 0)
#define llist_for_each_entry(pos, node, member) \
	for ((pos) = llist_entry((node), typeof(*(pos)), member); member_address_is_nonnull(pos, member); \
	     (pos) = llist_entry((pos)->member.next, typeof(*(pos)), member))
static bool llist_add(struct llist_node *n, struct llist_head *head)
{
	struct llist_node *first;
	do {
		n->next = first = __atomic_load_n(&head->first, __ATOMIC_RELAXED);
	} while (__sync_val_compare_and_swap(&head->first, first, n) != first);
	return !first;
}
static struct llist_node *llist_del_all(struct llist_head *head) { return __atomic_exchange_n(&head->first, NULL, __ATOMIC_SEQ_CST); }
static struct llist_node *llist_reverse_order(struct llist_node *head)
{
	struct llist_node *new_head = NULL;
	while (head) {
		struct llist_node *tmp = head;
		head = head->next;
		tmp->next = new_head;
		new_head = tmp;
	}
	return new_head;
}
struct work { int id, seq; struct llist_node node; };
static LLIST_HEAD(queue);
static void *adder(void *arg)
{
	int id = *(int *)arg;
	for (int i = 0; i < 2; i++) {
		struct work *w = malloc(sizeof(*w));
		if (!w)
			return NULL;
		w->id = id;
		w->seq = i;
		llist_add(&w->node, &queue);
	}
	return NULL;
}
int main(void)
{
	pthread_t a, b;
	int ids[] = { 0, 1 }, last[2] = { -1, -1 }, n = 0;
	pthread_create(&a, NULL, adder, &ids[0]);
	pthread_create(&b, NULL, adder, &ids[1]);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	struct work *w;
	llist_for_each_entry(w, llist_reverse_order(llist_del_all(&queue)), node) {
		assert(w->seq == last[w->id] + 1);
		last[w->id] = w->seq;
		n++;
	}
	assert(n == 4);
	return 0;
}
