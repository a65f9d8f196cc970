// SAFE
extern int foo(int) __asm__ ("" "bar") __attribute__ ((__nothrow__ , __leaf__));
extern __inline __attribute__ ((__gnu_inline__)) int toup (int c) { return c >= 97 ? c - 32 : c; }
extern int *__errno_location (void) __attribute__ ((__nothrow__ , __leaf__)) __attribute__ ((__const__));
typedef int T __attribute__ ((__mode__ (__SI__)));
static __inline unsigned int bs (unsigned int x) { return __builtin_bswap32(x); }
struct __attribute__((packed)) pk { char c; int i; };
int x __attribute__((aligned(64))) = 1; int arr[2][3] = {{1,2,3},{4,5,6}};
void __attribute__((noinline)) g(int *restrict p) { *p = 5; }
register int unused_;
int main(void) { T y = toup('a'); g(&x); __asm__ __volatile__ ("" : : : "memory"); if (x != 5 || y != 'A' || arr[1][2] != 6) *(int *)0 = 1; return __builtin_expect(0, 0); }
