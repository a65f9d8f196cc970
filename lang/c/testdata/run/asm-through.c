// sc SAFE tso SAFE
// what goes through assembly without instructions
#include <assert.h>
#define RELOC_HIDE(ptr, off) ({ unsigned long __ptr; __asm__("" : "=r"(__ptr) : "0"(ptr)); (typeof(ptr))(__ptr + (off)); })
int a[4] = { 1, 2, 3, 4 };
int main(void) { int x = 3, y = 9, z = 7; asm volatile("# nothing" : "=r"(y) : "0"(x + 1)); assert(y == 4 && x == 3); asm("" : [o] "=r"(z) : "[o]"(y)); assert(z == 4); asm volatile("" : "+r"(x), "+m"(z) :: "memory"); assert(x == 3 && z == 4); int *p = RELOC_HIDE(&a[0], 8); assert(*p == 3); asm volatile("#a\n\t#b"); return 0; }
