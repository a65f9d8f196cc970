#ifndef _FP_SYS_QUEUE_H
#define _FP_SYS_QUEUE_H
/* Lists with one link. */
#define SLIST_HEAD(name, type) struct name { struct type *slh_first; }
#define SLIST_HEAD_INITIALIZER(head) { (void *)0 }
#define SLIST_ENTRY(type) struct { struct type *sle_next; }
#define SLIST_INIT(head) ((void)((head)->slh_first = (void *)0))
#define SLIST_EMPTY(head) ((head)->slh_first == (void *)0)
#define SLIST_FIRST(head) ((head)->slh_first)
#define SLIST_NEXT(e, field) ((e)->field.sle_next)
#define SLIST_INSERT_HEAD(head, e, field) do { (e)->field.sle_next = (head)->slh_first; (head)->slh_first = (e); } while (0)
#define SLIST_INSERT_AFTER(at, e, field) do { (e)->field.sle_next = (at)->field.sle_next; (at)->field.sle_next = (e); } while (0)
#define SLIST_REMOVE_HEAD(head, field) do { (head)->slh_first = (head)->slh_first->field.sle_next; } while (0)
#define SLIST_REMOVE_AFTER(at, field) do { (at)->field.sle_next = (at)->field.sle_next->field.sle_next; } while (0)
#define SLIST_REMOVE(head, e, type, field) do { \
	struct type **__fp_at = &(head)->slh_first; \
	while (*__fp_at != (e)) \
		__fp_at = &(*__fp_at)->field.sle_next; \
	*__fp_at = (*__fp_at)->field.sle_next; \
} while (0)
#define SLIST_FOREACH(e, head, field) for ((e) = (head)->slh_first; (e); (e) = (e)->field.sle_next)
#define SLIST_FOREACH_SAFE(e, head, field, next) for ((e) = (head)->slh_first; (e) && ((next) = (e)->field.sle_next, 1); (e) = (next))
/* Lists with two links. */
#define LIST_HEAD(name, type) struct name { struct type *lh_first; }
#define LIST_HEAD_INITIALIZER(head) { (void *)0 }
#define LIST_ENTRY(type) struct { struct type *le_next, **le_prev; }
#define LIST_INIT(head) ((void)((head)->lh_first = (void *)0))
#define LIST_EMPTY(head) ((head)->lh_first == (void *)0)
#define LIST_FIRST(head) ((head)->lh_first)
#define LIST_NEXT(e, field) ((e)->field.le_next)
#define LIST_INSERT_HEAD(head, e, field) do { \
	if (((e)->field.le_next = (head)->lh_first)) \
		(head)->lh_first->field.le_prev = &(e)->field.le_next; \
	(head)->lh_first = (e); \
	(e)->field.le_prev = &(head)->lh_first; \
} while (0)
#define LIST_INSERT_AFTER(at, e, field) do { \
	if (((e)->field.le_next = (at)->field.le_next)) \
		(at)->field.le_next->field.le_prev = &(e)->field.le_next; \
	(at)->field.le_next = (e); \
	(e)->field.le_prev = &(at)->field.le_next; \
} while (0)
#define LIST_INSERT_BEFORE(at, e, field) do { \
	(e)->field.le_prev = (at)->field.le_prev; \
	(e)->field.le_next = (at); \
	*(at)->field.le_prev = (e); \
	(at)->field.le_prev = &(e)->field.le_next; \
} while (0)
#define LIST_REMOVE(e, field) do { \
	if ((e)->field.le_next) \
		(e)->field.le_next->field.le_prev = (e)->field.le_prev; \
	*(e)->field.le_prev = (e)->field.le_next; \
} while (0)
#define LIST_FOREACH(e, head, field) for ((e) = (head)->lh_first; (e); (e) = (e)->field.le_next)
#define LIST_FOREACH_SAFE(e, head, field, next) for ((e) = (head)->lh_first; (e) && ((next) = (e)->field.le_next, 1); (e) = (next))
/* Queues with one link, of which the end is known; SIMPLEQ is what others call them. */
#define STAILQ_HEAD(name, type) struct name { struct type *stqh_first, **stqh_last; }
#define STAILQ_HEAD_INITIALIZER(head) { (void *)0, &(head).stqh_first }
#define STAILQ_ENTRY(type) struct { struct type *stqe_next; }
#define STAILQ_INIT(head) do { (head)->stqh_first = (void *)0; (head)->stqh_last = &(head)->stqh_first; } while (0)
#define STAILQ_EMPTY(head) ((head)->stqh_first == (void *)0)
#define STAILQ_FIRST(head) ((head)->stqh_first)
#define STAILQ_NEXT(e, field) ((e)->field.stqe_next)
#define STAILQ_INSERT_HEAD(head, e, field) do { \
	if (!((e)->field.stqe_next = (head)->stqh_first)) \
		(head)->stqh_last = &(e)->field.stqe_next; \
	(head)->stqh_first = (e); \
} while (0)
#define STAILQ_INSERT_TAIL(head, e, field) do { \
	(e)->field.stqe_next = (void *)0; \
	*(head)->stqh_last = (e); \
	(head)->stqh_last = &(e)->field.stqe_next; \
} while (0)
#define STAILQ_INSERT_AFTER(head, at, e, field) do { \
	if (!((e)->field.stqe_next = (at)->field.stqe_next)) \
		(head)->stqh_last = &(e)->field.stqe_next; \
	(at)->field.stqe_next = (e); \
} while (0)
#define STAILQ_REMOVE_HEAD(head, field) do { \
	if (!((head)->stqh_first = (head)->stqh_first->field.stqe_next)) \
		(head)->stqh_last = &(head)->stqh_first; \
} while (0)
#define STAILQ_REMOVE(head, e, type, field) do { \
	struct type **__fp_at = &(head)->stqh_first; \
	while (*__fp_at != (e)) \
		__fp_at = &(*__fp_at)->field.stqe_next; \
	if (!(*__fp_at = (*__fp_at)->field.stqe_next)) \
		(head)->stqh_last = __fp_at; \
} while (0)
#define STAILQ_CONCAT(to, from) do { \
	if ((from)->stqh_first) { \
		*(to)->stqh_last = (from)->stqh_first; \
		(to)->stqh_last = (from)->stqh_last; \
		STAILQ_INIT(from); \
	} \
} while (0)
#define STAILQ_FOREACH(e, head, field) for ((e) = (head)->stqh_first; (e); (e) = (e)->field.stqe_next)
#define STAILQ_FOREACH_SAFE(e, head, field, next) for ((e) = (head)->stqh_first; (e) && ((next) = (e)->field.stqe_next, 1); (e) = (next))
#define SIMPLEQ_HEAD STAILQ_HEAD
#define SIMPLEQ_HEAD_INITIALIZER STAILQ_HEAD_INITIALIZER
#define SIMPLEQ_ENTRY STAILQ_ENTRY
#define SIMPLEQ_INIT STAILQ_INIT
#define SIMPLEQ_EMPTY STAILQ_EMPTY
#define SIMPLEQ_FIRST STAILQ_FIRST
#define SIMPLEQ_NEXT STAILQ_NEXT
#define SIMPLEQ_INSERT_HEAD STAILQ_INSERT_HEAD
#define SIMPLEQ_INSERT_TAIL STAILQ_INSERT_TAIL
#define SIMPLEQ_INSERT_AFTER STAILQ_INSERT_AFTER
#define SIMPLEQ_REMOVE_HEAD STAILQ_REMOVE_HEAD
#define SIMPLEQ_REMOVE STAILQ_REMOVE
#define SIMPLEQ_FOREACH STAILQ_FOREACH
/* Queues with two links. */
#define TAILQ_HEAD(name, type) struct name { struct type *tqh_first, **tqh_last; }
#define TAILQ_HEAD_INITIALIZER(head) { (void *)0, &(head).tqh_first }
#define TAILQ_ENTRY(type) struct { struct type *tqe_next, **tqe_prev; }
#define TAILQ_INIT(head) do { (head)->tqh_first = (void *)0; (head)->tqh_last = &(head)->tqh_first; } while (0)
#define TAILQ_EMPTY(head) ((head)->tqh_first == (void *)0)
#define TAILQ_FIRST(head) ((head)->tqh_first)
#define TAILQ_NEXT(e, field) ((e)->field.tqe_next)
#define TAILQ_LAST(head, name) (*((struct name *)((head)->tqh_last))->tqh_last)
#define TAILQ_PREV(e, name, field) (*((struct name *)((e)->field.tqe_prev))->tqh_last)
#define TAILQ_INSERT_HEAD(head, e, field) do { \
	if (((e)->field.tqe_next = (head)->tqh_first)) \
		(head)->tqh_first->field.tqe_prev = &(e)->field.tqe_next; \
	else \
		(head)->tqh_last = &(e)->field.tqe_next; \
	(head)->tqh_first = (e); \
	(e)->field.tqe_prev = &(head)->tqh_first; \
} while (0)
#define TAILQ_INSERT_TAIL(head, e, field) do { \
	(e)->field.tqe_next = (void *)0; \
	(e)->field.tqe_prev = (head)->tqh_last; \
	*(head)->tqh_last = (e); \
	(head)->tqh_last = &(e)->field.tqe_next; \
} while (0)
#define TAILQ_INSERT_AFTER(head, at, e, field) do { \
	if (((e)->field.tqe_next = (at)->field.tqe_next)) \
		(e)->field.tqe_next->field.tqe_prev = &(e)->field.tqe_next; \
	else \
		(head)->tqh_last = &(e)->field.tqe_next; \
	(at)->field.tqe_next = (e); \
	(e)->field.tqe_prev = &(at)->field.tqe_next; \
} while (0)
#define TAILQ_INSERT_BEFORE(at, e, field) do { \
	(e)->field.tqe_prev = (at)->field.tqe_prev; \
	(e)->field.tqe_next = (at); \
	*(at)->field.tqe_prev = (e); \
	(at)->field.tqe_prev = &(e)->field.tqe_next; \
} while (0)
#define TAILQ_REMOVE(head, e, field) do { \
	if ((e)->field.tqe_next) \
		(e)->field.tqe_next->field.tqe_prev = (e)->field.tqe_prev; \
	else \
		(head)->tqh_last = (e)->field.tqe_prev; \
	*(e)->field.tqe_prev = (e)->field.tqe_next; \
} while (0)
#define TAILQ_FOREACH(e, head, field) for ((e) = (head)->tqh_first; (e); (e) = (e)->field.tqe_next)
#define TAILQ_FOREACH_SAFE(e, head, field, next) for ((e) = (head)->tqh_first; (e) && ((next) = (e)->field.tqe_next, 1); (e) = (next))
#define TAILQ_FOREACH_REVERSE(e, head, name, field) for ((e) = TAILQ_LAST(head, name); (e); (e) = TAILQ_PREV(e, name, field))
#endif
