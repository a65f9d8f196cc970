// sc SAFE tso SAFE
/* Instructions on the beginning of a large structure that is not there, as liburcu and kernels write them; and a
   transparent union for a parameter that may be two kinds of pointer. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct dummy { unsigned long v[10]; };
#define hp(x) ((struct dummy *)(x))
static inline int add_return(void *addr, int val)
{
	int result = val;
	__asm__ __volatile__("lock; xaddl %0, %1" : "+r"(result), "+m"(*hp(addr)) : : "memory");
	return result + val;
}
static inline void *xchg(void *addr, void *val)
{
	__asm__ __volatile__("xchgq %0, %1" : "+r"(val), "+m"(*hp(addr)) : : "memory");
	return val;
}
struct head { struct node *first; };
struct lock_head { struct head head; pthread_mutex_t lock; };
typedef union { struct head *_h; struct lock_head *h; } __attribute__((__transparent_union__)) head_ptr;
struct node { struct node *next; int v; };

static void push(head_ptr u, struct node *n)
{
	struct head *h = u._h;
	n->next = xchg(&h->first, n);
}
static struct lock_head list;
static struct head other;
static struct node nodes[3];
static int count;
static void *thread(void *arg)
{
	struct node *n = arg;
	n->v = add_return(&count, 1);
	push(&list, n);
	return 0;
}
int main(void)
{
	pthread_t t, u;
	pthread_create(&t, 0, thread, &nodes[0]);
	pthread_create(&u, 0, thread, &nodes[1]);
	pthread_join(t, 0);
	pthread_join(u, 0);
	push(&other, &nodes[2]);
	assert(count == 2 && nodes[0].v + nodes[1].v == 3 && other.first == &nodes[2] && !nodes[2].next);
	struct node *last = list.head.first;
	assert(last->next && last->next != last && !last->next->next);
	return 0;
}
