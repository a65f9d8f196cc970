// sc SAFE tso SAFE rc11 SAFE
// lists of the kernel: one that a lock guards, one without locks
#include <linux/list.h>
#include <linux/llist.h>
#include <linux/spinlock.h>
#include <pthread.h>
#include <assert.h>
struct item { int n; struct list_head entry; struct llist_node link; };
static LIST_HEAD(all);
static LLIST_HEAD(fast);
static DEFINE_SPINLOCK(lock);
static struct item items[2];
static void *add(void *arg) {
	struct item *i = arg;
	i->n = i - items + 1;
	spin_lock(&lock);
	list_add_tail(&i->entry, &all);
	spin_unlock(&lock);
	llist_add(&i->link, &fast);
	return 0;
}
int main(void) {
	pthread_t t[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], 0, add, &items[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], 0);
	struct item *i;
	struct llist_node *n;
	int sum = 0, links = 0;
	list_for_each_entry(i, &all, entry)
		sum += i->n;
	n = llist_del_all(&fast);
	while (n) {
		links += llist_entry(n, struct item, link)->n;
		n = n->next;
	}
	assert(sum == 3 && links == 3 && llist_empty(&fast) && !list_empty(&all));
	list_del(&items[0].entry);
	assert(list_first_entry(&all, struct item, entry)->n == 2);
	return 0;
}
