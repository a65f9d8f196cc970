#ifndef _FP_LINUX_LLIST_H
#define _FP_LINUX_LLIST_H
#include <linux/kernel.h>
struct llist_node { struct llist_node *next; };
struct llist_head { struct llist_node *first; };
#define LLIST_HEAD_INIT(l) { NULL }
#define LLIST_HEAD(l) struct llist_head l = LLIST_HEAD_INIT(l)
#define init_llist_head(l) ((void)((l)->first = NULL))
static inline bool llist_empty(const struct llist_head *h) { return READ_ONCE(h->first) == NULL; }
static inline bool llist_add_batch(struct llist_node *first, struct llist_node *last, struct llist_head *h)
{
	struct llist_node *f = READ_ONCE(h->first);
	do
		last->next = f;
	while (!try_cmpxchg(&h->first, &f, first));
	return !f;
}
static inline bool llist_add(struct llist_node *n, struct llist_head *h) { return llist_add_batch(n, n, h); }
static inline struct llist_node *llist_del_all(struct llist_head *h) { return xchg(&h->first, NULL); }
static inline struct llist_node *llist_del_first(struct llist_head *h)
{
	struct llist_node *e = smp_load_acquire(&h->first);
	while (e && !try_cmpxchg(&h->first, &e, READ_ONCE(e->next)))
		;
	return e;
}
static inline struct llist_node *llist_reverse_order(struct llist_node *n)
{
	struct llist_node *first = NULL;
	while (n) {
		struct llist_node *next = n->next;
		n->next = first;
		first = n;
		n = next;
	}
	return first;
}
#define llist_entry(p, type, member) container_of(p, type, member)
#define llist_for_each(p, n) for (p = (n); p; p = p->next)
#define llist_for_each_safe(p, m, n) for (p = (n); p && (m = p->next, 1); p = m)
#define llist_for_each_entry(p, n, member) \
	for (struct llist_node *__fp_n = (n); __fp_n && (p = llist_entry(__fp_n, __typeof__(*p), member), 1); __fp_n = p->member.next)
#define llist_for_each_entry_safe(p, m, n, member) \
	for (struct llist_node *__fp_n = (n), *__fp_m; \
	     __fp_n && (p = llist_entry(__fp_n, __typeof__(*p), member), __fp_m = __fp_n->next, m = __fp_m ? llist_entry(__fp_m, __typeof__(*p), member) : NULL, 1); __fp_n = __fp_m)
#endif
