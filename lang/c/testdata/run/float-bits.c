// sc SAFE
/* The bits of a constant are known. */
#include <assert.h>
union u { double d; unsigned long l; } u;
int main(void) { u.d = 1.5; assert(u.l != 0); return 0; }
