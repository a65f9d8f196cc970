// SAFE
#include <linux/list.h>
#include <linux/llist.h>
#include <stdlib.h>
#include <assert.h>
struct n { int v; struct list_head l; struct llist_node k; };
LIST_HEAD(h); LLIST_HEAD(g);
int main(void) {
	struct n a[3], *p, *q; int s = 0;
	for (int i = 0; i < 3; i++) { a[i].v = i + 1; list_add_tail(&a[i].l, &h); llist_add(&a[i].k, &g); }
	list_for_each_entry_reverse(p, &h, l) s = s * 10 + p->v;
	assert(s == 321);
	s = 0;
	llist_for_each_entry(p, g.first, k) s = s * 10 + p->v;
	assert(s == 321);
	s = 0;
	llist_for_each_entry_safe(p, q, g.first, k) { s = s * 10 + p->v; p->k.next = 0; }
	assert(s == 321 && list_last_entry(&h, struct n, l)->v == 3);
	return 0;
}
