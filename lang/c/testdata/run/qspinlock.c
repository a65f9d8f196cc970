// sc SAFE tso SAFE pso UNSAFE
// A queued spin lock with a pending bit, as the kernel has it: a word of which bytes and halves are accessed, too.
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <stdatomic.h>
#define N 2
typedef uint8_t u8; typedef uint16_t u16; typedef uint32_t u32;
typedef struct { int counter; } atomic_t;
struct qspinlock {
	union {
		atomic_t val;
		struct { u8 locked; u8 pending; };
		struct { u16 locked_pending; u16 tail; };
	};
};
#define _Q_LOCKED_VAL 1u
#define _Q_LOCKED_MASK 0xffu
#define _Q_PENDING_VAL 0x100u
#define _Q_PENDING_MASK 0xff00u
#define _Q_TAIL_OFFSET 16
#define _Q_TAIL_MASK 0xffff0000u
#define READ(x) __atomic_load_n(&(x), __ATOMIC_RELAXED)
#define WRITE(x, v) __atomic_store_n(&(x), (v), __ATOMIC_RELAXED)
#define REL(x, v) __atomic_store_n(&(x), (v), __ATOMIC_RELEASE)
#define ACQ(x) __atomic_load_n(&(x), __ATOMIC_ACQUIRE)

struct node { struct node *next; int locked; };
static struct node nodes[N];
static struct qspinlock lock;
static int shared;

static inline int atomic_read(const atomic_t *v) { return READ(v->counter); }
static inline int atomic_read_acquire(const atomic_t *v) { return ACQ(v->counter); }
static inline int atomic_try_cmpxchg(atomic_t *v, int *old, int new) { return __atomic_compare_exchange_n(&v->counter, old, new, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED); }
static inline int atomic_fetch_or_acquire(int i, atomic_t *v) { return __atomic_fetch_or(&v->counter, i, __ATOMIC_ACQUIRE); }
static inline u32 xchg_tail(struct qspinlock *lock, u32 tail) { u16 *p = &lock->tail; return (u32)__atomic_exchange_n(p, (u16)(tail >> _Q_TAIL_OFFSET), __ATOMIC_RELAXED) << _Q_TAIL_OFFSET; }
static inline u32 encode_tail(int cpu) { return (u32)(cpu + 1) << _Q_TAIL_OFFSET; }
static inline struct node *decode_tail(u32 tail) { return &nodes[(tail >> _Q_TAIL_OFFSET) - 1]; }

static void slowpath(struct qspinlock *l, u32 val, int cpu) {
	u32 old, tail;
	struct node *node, *prev, *next;
	if (val == _Q_PENDING_VAL) {
		int cnt = 1;
		do { val = atomic_read(&l->val); } while (!(val != _Q_PENDING_VAL || !cnt--));
	}
	if (val & ~_Q_LOCKED_MASK) goto queue;
	val = atomic_fetch_or_acquire(_Q_PENDING_VAL, &l->val);
	if (val & ~_Q_LOCKED_MASK) {
		if (!(val & _Q_PENDING_MASK)) WRITE(l->pending, 0);
		goto queue;
	}
	if (val & _Q_LOCKED_MASK)
		while (ACQ(l->locked));
	WRITE(l->locked_pending, _Q_LOCKED_VAL);
	return;
queue:
	node = &nodes[cpu];
	tail = encode_tail(cpu);
	node->locked = 0;
	node->next = 0;
	{ int zero = 0; if (atomic_try_cmpxchg(&l->val, &zero, _Q_LOCKED_VAL)) return; }
	old = xchg_tail(l, tail);
	next = 0;
	if (old & _Q_TAIL_MASK) {
		prev = decode_tail(old);
		WRITE(prev->next, node);
		while (!ACQ(node->locked));
		next = READ(node->next);
	}
	while ((val = atomic_read_acquire(&l->val)) & (_Q_LOCKED_MASK | _Q_PENDING_MASK));
	if ((val & _Q_TAIL_MASK) == tail) {
		int v = val;
		if (__atomic_compare_exchange_n(&l->val.counter, &v, _Q_LOCKED_VAL, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) return;
	}
	WRITE(l->locked, _Q_LOCKED_VAL);
	if (!next) while (!(next = READ(node->next)));
	REL(next->locked, 1);
}
static void lock_it(struct qspinlock *l, int cpu) {
	int val = 0;
	if (atomic_try_cmpxchg(&l->val, &val, _Q_LOCKED_VAL)) return;
	slowpath(l, val, cpu);
}
static void unlock_it(struct qspinlock *l) { REL(l->locked, 0); }

static void *run(void *arg) {
	int cpu = (int)(intptr_t)arg;
	lock_it(&lock, cpu);
	int x = shared;
	shared = x + 1;
	assert(shared == x + 1);
	unlock_it(&lock);
	return 0;
}
int main(void) {
	pthread_t t[N];
	for (int i = 0; i < N; i++) pthread_create(&t[i], 0, run, (void *)(intptr_t)i);
	for (int i = 0; i < N; i++) pthread_join(t[i], 0);
	assert(shared == N);
	return 0;
}
