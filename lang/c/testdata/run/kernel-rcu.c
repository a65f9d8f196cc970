// lkmm SAFE
// what readers may still have is freed after a grace period
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <pthread.h>
#include <assert.h>
struct config { int a, b; };
static struct config *current_config;
static void *reader(void *arg) {
	rcu_read_lock();
	struct config *c = rcu_dereference(current_config);
	assert(c->a == c->b);
	rcu_read_unlock();
	return 0;
}
static void *writer(void *arg) {
	struct config *old = current_config, *fresh = kmalloc(sizeof(*fresh), GFP_KERNEL);
	fresh->a = fresh->b = 2;
	rcu_assign_pointer(current_config, fresh);
	synchronize_rcu();
	kfree(old);
	return 0;
}
int main(void) {
	pthread_t r, w;
	current_config = kzalloc(sizeof(*current_config), GFP_KERNEL);
	pthread_create(&r, 0, reader, 0);
	pthread_create(&w, 0, writer, 0);
	pthread_join(r, 0);
	pthread_join(w, 0);
	return 0;
}
