// sc UNSAFE tso UNSAFE pso UNSAFE rc11 UNSAFE
/* A pointer of which nothing is known is null or not. */
#include <assert.h>
extern void *__VERIFIER_nondet_pointer(void);
extern float __VERIFIER_nondet_float(void);
int main(void)
{
	float f = __VERIFIER_nondet_float();
	if (__VERIFIER_nondet_pointer() == 0)
		return 0;
	assert(__VERIFIER_nondet_pointer());
	f = 2 * f;
	return 0;
}
