// sc UNSAFE
// free does not give back what lies on the stack.
#include <alloca.h>
#include <stdlib.h>
int main(void) { int *p = alloca(8); *p = 1; free(p); return 0; }
