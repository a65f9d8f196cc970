// sc UNKNOWN
/* The bits of a number of floating point that is computed are not modelled. */
#include <assert.h>
#include <math.h>
union u { double d; unsigned long l; } u;
int n = 2;
int main(void) { u.d = n * 1.5; assert(u.l != 0); return 0; }
