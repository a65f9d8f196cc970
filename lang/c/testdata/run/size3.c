// sc UNSAFE
#include <stdlib.h>
int __VERIFIER_nondet_int(void);
int main(void) {
	int n = __VERIFIER_nondet_int();
	if (n < 1 || n > 5) return 0;
	int *v = malloc(n * sizeof(int));
	v[n] = 1;
	free(v);
	return 0;
}
