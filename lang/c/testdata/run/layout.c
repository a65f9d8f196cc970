// sc SAFE
#include <stddef.h>
#include <stdint.h>
#include <assert.h>
struct a { char c; int x __attribute__((aligned(16))); };
struct b { char c; long l; short s; } __attribute__((packed));
struct c { int a; } __attribute__((aligned(64)));
struct d { _Alignas(8) char c; char e; _Alignas(double) char f; };
typedef struct { uint8_t t; uint32_t v; } __attribute__((__packed__)) e_t;
struct f { struct b b; int i; } f;
struct c gc;
_Static_assert(sizeof(struct a) == 32 && offsetof(struct a, x) == 16, "a");
_Static_assert(sizeof(struct b) == 11 && offsetof(struct b, s) == 9, "b");
_Static_assert(sizeof(struct c) == 64 && _Alignof(struct c) == 64, "c");
_Static_assert(sizeof(struct d) == 16 && offsetof(struct d, f) == 8, "d");
_Static_assert(sizeof(e_t) == 5 && offsetof(e_t, v) == 1, "e");
_Static_assert(sizeof(struct f) == 16 && offsetof(struct f, i) == 12, "f");
int main(void) { struct c lc; f.b.l = 5; f.b.s = 2; assert(f.b.l == 5 && f.b.s == 2 && f.i == 0); assert(((uintptr_t)&gc & 63) == 0 && ((uintptr_t)&lc & 63) == 0); return 0; }
