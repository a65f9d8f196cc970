// What GenMC's header marks for it is what it is around, with a semicolon behind it or without.
// sc SAFE, tso SAFE, pso SAFE, race SAFE, deadlock SAFE

#include <assert.h>
#include <genmc.h>
#include <stdatomic.h>
#include <stddef.h>

atomic_int top, tail;

void *add(void *arg)
{
	int old, new;
	do {
		old = __VERIFIER_speculative_read(atomic_load_explicit(&top, memory_order_acquire););
		new = old + 1;
	} while (!__VERIFIER_confirming_CAS(atomic_compare_exchange_strong(&top, &old, new);));
	int at = __VERIFIER_confirming_read(atomic_load(&tail));
	__VERIFIER_helping_CAS(
		atomic_compare_exchange_strong(&tail, &at, at + 1);
	);
	__VERIFIER_helped_CAS(atomic_compare_exchange_strong(&tail, &at, at + 1));
	int none = -1;
	if (__VERIFIER_final_CAS(atomic_compare_exchange_strong(&tail, &none, 7)))
		assert(0);
	return NULL;
}

int main(void)
{
	__VERIFIER_thread_t t = __VERIFIER_spawn(add, NULL);
	__VERIFIER_thread_t u = __VERIFIER_spawn_symmetric(add, NULL, t);
	__VERIFIER_join_symmetric(t);
	__VERIFIER_join_symmetric(u);
	assert(top == 2 && tail >= 1 && tail <= 4);
	return 0;
}
