// sc SAFE tso SAFE pso SAFE rc11 SAFE
/* Concurrency Kit: a stack with many producers and consumers that take all of it. */
#include <pthread.h>
#include <assert.h>
#include <stddef.h>
#include <stdbool.h>
struct ck_stack_entry { struct ck_stack_entry *next; };
typedef struct ck_stack_entry ck_stack_entry_t;
struct ck_stack { struct ck_stack_entry *head; char *generation; };
typedef struct ck_stack ck_stack_t;
#define CK_CC_CONTAINER(F, T, M, N) \
	static inline T *N(F *p) { F *n = p; return (T *)(void *)(((char *)n) - ((size_t)&((T *)0)->M)); }
#define CK_STACK_CONTAINER(T, M, N) CK_CC_CONTAINER(ck_stack_entry_t, T, M, N)
#define CK_STACK_NEXT(m) ((m)->next)
struct entry { int value; ck_stack_entry_t next; };
CK_STACK_CONTAINER(struct entry, next, getvalue)
static ck_stack_t stack = { NULL, NULL };
static bool ck_pr_cas_ptr_value(void *target, void *compare, void *set, void *v)
{
	void *before = __sync_val_compare_and_swap((void **)target, compare, set);
	*(void **)v = before;
	return before == compare;
}
static void ck_stack_push_upmc(struct ck_stack *target, struct ck_stack_entry *entry)
{
	struct ck_stack_entry *s;
	s = *(struct ck_stack_entry *volatile *)&target->head;
	entry->next = s;
	__sync_synchronize();
	while (ck_pr_cas_ptr_value(&target->head, s, entry, &s) == false) {
		entry->next = s;
		__sync_synchronize();
	}
}
static struct ck_stack_entry *ck_stack_batch_pop_upmc(struct ck_stack *target)
{
	return __sync_lock_test_and_set(&target->head, NULL);
}
static struct entry e[3];
static void *pusher(void *p)
{
	struct entry *x = p;
	x->value = 1;
	ck_stack_push_upmc(&stack, &x->next);
	return NULL;
}
int main(void)
{
	pthread_t t[3];
	int n = 0, again = 2;
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, pusher, &e[i]);
	while (again--) {
		ck_stack_entry_t *cur = ck_stack_batch_pop_upmc(&stack);
		for (; cur != NULL; cur = CK_STACK_NEXT(cur)) {
			assert(getvalue(cur)->value == 1);
			n++;
		}
		if (again == 1)
			for (int i = 0; i < 3; i++)
				pthread_join(t[i], NULL);
	}
	assert(n == 3);
	return 0;
}
