// SAFE
#include <assert.h>
union u { struct { int a; int b; } s; long l; char bytes[8]; } v;
int main() { v.s.a = 1; v.s.b = 2; assert(v.s.a == 1 && v.s.b == 2); return 0; }
