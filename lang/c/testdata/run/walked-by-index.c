// sc SAFE tso SAFE
// An index that is moved begins from a number that is the address of something else, as objects lie here.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

long other[300];

int main(void)
{
	unsigned n = __VERIFIER_nondet_int();
	unsigned char *b = malloc(4000);
	if (!b || n > 8)
		return 0;
	other[3] = n;
	for (unsigned i = 1500; n; n--, i++)
		b[i] = 1;
	free(b);
	return 0;
}
