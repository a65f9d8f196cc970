// sc UNSAFE tso UNSAFE pso UNSAFE rc11 UNSAFE
/* Lists that are changed without marks lose a node that is put behind one that is taken out. */
#include <stdatomic.h>
#include <pthread.h>
#include <assert.h>
#include <stddef.h>
struct n { _Atomic(struct n *) next; } c = { NULL }, b = { &c }, a = { &b }, d;
static void *insert_after_b(void *p)
{
	struct n *s = atomic_load(&b.next);
	do atomic_store(&d.next, s); while (!atomic_compare_exchange_weak(&b.next, &s, &d));
	return NULL;
}
static void *remove_b(void *p)
{
	struct n *s = &b;
	atomic_compare_exchange_strong(&a.next, &s, atomic_load(&b.next));
	return NULL;
}
int main(void)
{
	pthread_t t, u;
	int found = 0;
	pthread_create(&t, NULL, insert_after_b, NULL);
	pthread_create(&u, NULL, remove_b, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	for (struct n *x = &a; x; x = x->next) found |= x == &d;
	assert(found);
	return 0;
}
