// sc UNSAFE tso UNSAFE
#include <string.h>
#include <stdlib.h>
int __VERIFIER_nondet_int(void);
int main(void) { char b[4]; int n = __VERIFIER_nondet_int(); if (n < 0 || n > 5) return 0; memset(b, 0, n); return 0; }
