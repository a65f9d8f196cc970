// sc UNKNOWN
/* The bits of a number of floating point are not modelled. */
#include <assert.h>
union u { double d; unsigned long l; } u;
int main(void) { u.d = 1.5; assert(u.l != 0); return 0; }
