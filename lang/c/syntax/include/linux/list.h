#ifndef _FP_LINUX_LIST_H
#define _FP_LINUX_LIST_H
#include <linux/kernel.h>
struct list_head { struct list_head *next, *prev; };
#define LIST_HEAD_INIT(l) { &(l), &(l) }
#define LIST_HEAD(l) struct list_head l = LIST_HEAD_INIT(l)
static inline void INIT_LIST_HEAD(struct list_head *h) { h->next = h->prev = h; }
static inline void list_add(struct list_head *n, struct list_head *h) { n->next = h->next; n->prev = h; h->next->prev = n; WRITE_ONCE(h->next, n); }
static inline void list_add_tail(struct list_head *n, struct list_head *h) { n->next = h; n->prev = h->prev; WRITE_ONCE(h->prev->next, n); h->prev = n; }
static inline void list_del(struct list_head *n) { n->next->prev = n->prev; WRITE_ONCE(n->prev->next, n->next); n->next = n->prev = NULL; }
static inline void list_del_init(struct list_head *n) { n->next->prev = n->prev; WRITE_ONCE(n->prev->next, n->next); n->next = n->prev = n; }
static inline bool list_empty(const struct list_head *h) { return READ_ONCE(h->next) == h; }
static inline void list_add_rcu(struct list_head *n, struct list_head *h) { n->next = h->next; n->prev = h; rcu_assign_pointer(h->next, n); n->next->prev = n; }
static inline void list_add_tail_rcu(struct list_head *n, struct list_head *h) { n->next = h; n->prev = h->prev; rcu_assign_pointer(n->prev->next, n); h->prev = n; }
static inline void list_del_rcu(struct list_head *n) { n->next->prev = n->prev; WRITE_ONCE(n->prev->next, n->next); n->prev = NULL; }
#define list_entry(p, type, member) container_of(p, type, member)
#define list_first_entry(h, type, member) list_entry((h)->next, type, member)
#define list_for_each(p, h) for (p = (h)->next; p != (h); p = p->next)
#define list_for_each_entry(p, h, member) \
	for (p = list_entry((h)->next, __typeof__(*p), member); &p->member != (h); p = list_entry(p->member.next, __typeof__(*p), member))
#define list_for_each_entry_safe(p, n, h, member) \
	for (p = list_entry((h)->next, __typeof__(*p), member), n = list_entry(p->member.next, __typeof__(*p), member); \
	     &p->member != (h); p = n, n = list_entry(n->member.next, __typeof__(*n), member))
#define list_last_entry(h, type, member) list_entry((h)->prev, type, member)
#define list_for_each_safe(p, n, h) for (p = (h)->next, n = p->next; p != (h); p = n, n = p->next)
#define list_for_each_prev(p, h) for (p = (h)->prev; p != (h); p = p->prev)
#define list_for_each_entry_reverse(p, h, member) \
	for (p = list_entry((h)->prev, __typeof__(*p), member); &p->member != (h); p = list_entry(p->member.prev, __typeof__(*p), member))
#define list_for_each_entry_rcu(p, h, member) \
	for (p = list_entry(READ_ONCE((h)->next), __typeof__(*p), member); &p->member != (h); \
	     p = list_entry(READ_ONCE(p->member.next), __typeof__(*p), member))
#endif
