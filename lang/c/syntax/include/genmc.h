#ifndef _FP_GENMC_H
#define _FP_GENMC_H
#include <stdbool.h>
void __VERIFIER_spin_start(void);
void __VERIFIER_spin_end(bool);
void __VERIFIER_loop_begin(void);
typedef unsigned long __VERIFIER_thread_t;
__VERIFIER_thread_t __VERIFIER_spawn();
__VERIFIER_thread_t __VERIFIER_spawn_symmetric();
void *__VERIFIER_join(__VERIFIER_thread_t);
#define __VERIFIER_join_symmetric(t) ((void)__VERIFIER_join(t))
#define __VERIFIER_optional(e) e
#define __VERIFIER_local_write(e) e
#define __VERIFIER_final_write(e) e
#define __VERIFIER_final_cas(e) e
#define __VERIFIER_helped_cas(e) e
#define __VERIFIER_helping_cas(e) e
#define __VERIFIER_speculative_read(e) ({ __auto_type _fp_e = e; _fp_e; })
#define __VERIFIER_confirming_cas(e) e
#define __VERIFIER_confirmation(e) e
#define __VERIFIER_helped_CAS(e) do { e; } while (0)
#define __VERIFIER_helping_CAS(e) do { e; } while (0)
#define __VERIFIER_final_CAS(e) ({ __auto_type _fp_e = e; _fp_e; })
#define __VERIFIER_confirming_CAS(e) ({ __auto_type _fp_e = e; _fp_e; })
#define __VERIFIER_confirming_read(e) ({ __auto_type _fp_e = e; _fp_e; })
#define __VERIFIER_annotate_begin(e) ((void)0)
#define __VERIFIER_annotate_end(e) ((void)0)
typedef struct {
	void *__head;
} __VERIFIER_hp_t;
void __VERIFIER_hp_retire(void *);
static inline __VERIFIER_hp_t *__VERIFIER_hp_alloc(void)
{
	__VERIFIER_hp_t *__hp = (__VERIFIER_hp_t *)__fp_malloc(sizeof(__VERIFIER_hp_t));
	__hp->__head = 0;
	return __hp;
}
static inline void __VERIFIER_hp_clear(__VERIFIER_hp_t *__hp)
{
	if (__hp->__head)
		__fp_hp_release(__hp->__head);
	__hp->__head = 0;
}
static inline void __VERIFIER_hp_free(__VERIFIER_hp_t *__hp)
{
	__VERIFIER_hp_clear(__hp);
	__fp_free(__hp);
}
static inline void *_fp_hp_protect(__VERIFIER_hp_t *__hp, void **__from)
{
	__VERIFIER_hp_clear(__hp);
	void *__p = __atomic_load_n(__from, __ATOMIC_ACQUIRE);
	if (!__p)
		return __p;
	if (__fp_hp_protect(__p))
		__hp->__head = __p;
	else
		__VERIFIER_assume(__atomic_load_n(__from, __ATOMIC_ACQUIRE) == __p);
	return __p;
}
#define __VERIFIER_hp_protect(hp, p) _fp_hp_protect((hp), (void **)(p))
#endif
