// sc SAFE tso SAFE pso UNSAFE rc11 SAFE
// locks of the kernel: an unlock is a release store, which is a plain move
#include <linux/spinlock.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <pthread.h>
#include <assert.h>
static DEFINE_SPINLOCK(lock);
static DEFINE_MUTEX(mutex);
struct node { int n; struct node *next; } *list;
static int count, tried;
static void *p(void *arg) {
	unsigned long flags;
	struct node *n = kmalloc(sizeof(*n), GFP_KERNEL);
	spin_lock_irqsave(&lock, flags);
	n->n = ++count;
	n->next = list;
	list = n;
	spin_unlock_irqrestore(&lock, flags);
	if (mutex_trylock(&mutex)) {
		assert(mutex_is_locked(&mutex));
		tried++;
		mutex_unlock(&mutex);
	}
	return 0;
}
int main(void) {
	pthread_t s, t;
	pthread_create(&s, 0, p, 0);
	pthread_create(&t, 0, p, 0);
	pthread_join(s, 0);
	pthread_join(t, 0);
	assert(count == 2 && list->n == 2 && list->next->n == 1 && !list->next->next);
	assert(tried == 1 || tried == 2);
	return 0;
}
