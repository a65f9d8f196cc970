// sc SAFE tso SAFE pso SAFE rc11 SAFE
/* Concurrency Kit: a fetch-and-store lock from macros and inline assembly. */
#include <pthread.h>
#include <assert.h>
#include <stdbool.h>
#define CK_CC_INLINE inline __attribute__((always_inline))
#define CK_CC_FORCE_INLINE CK_CC_INLINE
#define CK_PR_FAS(S, M, T) \
	CK_CC_INLINE static T ck_pr_fas_##S(M *target, T v) \
	{ return __sync_lock_test_and_set((T *)target, v); }
CK_PR_FAS(uint, unsigned int, unsigned int)
CK_PR_FAS(ptr, void, void *)
#define CK_PR_LOAD(S, M, T) \
	CK_CC_INLINE static T ck_pr_md_load_##S(const M *target) \
	{ return *(volatile const T *)target; }
CK_PR_LOAD(uint, unsigned int, unsigned int)
#define ck_pr_load_uint(SRC) ck_pr_md_load_uint((SRC))
CK_CC_INLINE static void ck_pr_stall(void) { __asm__ __volatile__("pause" ::: "memory"); }
CK_CC_INLINE static void ck_pr_fence_lock(void) { __sync_synchronize(); }
CK_CC_INLINE static void ck_pr_fence_unlock(void) { __sync_synchronize(); }
CK_CC_INLINE static void ck_pr_store_uint(unsigned *t, unsigned v) { *(volatile unsigned *)t = v; }
struct ck_spinlock_fas { unsigned int value; };
typedef struct ck_spinlock_fas ck_spinlock_fas_t;
#define CK_SPINLOCK_FAS_INITIALIZER {false}
CK_CC_INLINE static void ck_spinlock_fas_lock(struct ck_spinlock_fas *lock)
{
	for (;;) {
		if (ck_pr_fas_uint(&lock->value, true) == false)
			break;
		while (ck_pr_load_uint(&lock->value) == true)
			ck_pr_stall();
	}
	ck_pr_fence_lock();
}
CK_CC_INLINE static void ck_spinlock_fas_unlock(struct ck_spinlock_fas *lock)
{
	ck_pr_fence_unlock();
	ck_pr_store_uint(&lock->value, false);
}
static ck_spinlock_fas_t lock __attribute__((aligned(64))) = CK_SPINLOCK_FAS_INITIALIZER;
static unsigned locked;
static void *thread(void *null)
{
	int i = 2;
	(void)null;
	while (i--) {
		ck_spinlock_fas_lock(&lock);
		locked++;
		assert(locked == 1);
		locked--;
		ck_spinlock_fas_unlock(&lock);
	}
	return NULL;
}
int main(int argc, char *argv[])
{
	pthread_t t[2];
	for (int i = 0; i < 2; i++)
		pthread_create(t + i, NULL, thread, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return 0;
}
