// sc UNSAFE tso UNSAFE pso UNSAFE rc11 UNSAFE
/* A choice of a type that is assigned to a variable of another one is negative there, too. */
#include <assert.h>
extern unsigned char __VERIFIER_nondet_uchar(void);
extern unsigned __VERIFIER_nondet_uint(void);
int main(void)
{
	signed char c = __VERIFIER_nondet_uchar();
	int i = __VERIFIER_nondet_uint();
	assert(c >= 0 || i >= -5);
	return 0;
}
