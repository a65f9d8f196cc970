// SAFE
#include <assert.h>
#include <stddef.h>
#include <stdlib.h>
#include <pthread.h>
struct list_head { struct list_head *next, *prev; };
#define LIST_HEAD_INIT(name) { &(name), &(name) }
#define container_of(ptr, type, member) ({ const typeof(((type *)0)->member) *__mptr = (ptr); (type *)((char *)__mptr - offsetof(type, member)); })
#define list_for_each_entry(pos, head, member) for (pos = container_of((head)->next, typeof(*pos), member); &pos->member != (head); pos = container_of(pos->member.next, typeof(*pos), member))
static struct list_head devs = LIST_HEAD_INIT(devs);
struct dev { int id; pthread_mutex_t lock; struct list_head list; };
static void list_add(struct list_head *n, struct list_head *h) { h->next->prev = n; n->next = h->next; n->prev = h; h->next = n; }
int main() { for (int i = 0; i < 3; i++) { struct dev *d = (struct dev *)malloc(sizeof(struct dev)); if (!d) return 1; d->id = i; pthread_mutex_init(&d->lock, 0); list_add(&d->list, &devs); }
 int s = 0; struct dev *p; list_for_each_entry(p, &devs, list) { pthread_mutex_lock(&p->lock); s += p->id; pthread_mutex_unlock(&p->lock); } assert(s == 3); return 0; }
