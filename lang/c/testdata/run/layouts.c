// sc SAFE
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
struct __attribute__((packed)) pk { char c; int i; short s; }; struct bf { unsigned a : 3, : 2, b : 5; signed c : 4; unsigned long d : 33; }; struct fl { int n; int v[]; };
union u { struct { uint16_t lo, hi; }; uint32_t w; }; typedef union { struct { int x, y; } p; int v[2]; } vec; struct outer { int tag; union { int i; char *s; }; struct { int deep; } in; };
int main(void) { assert(sizeof(struct pk) == 7 && offsetof(struct pk, s) == 5); struct bf f = { 9, 33, -1, 1ul << 32 }; assert(f.a == 1 && f.b == 1 && f.c == -1 && f.d == 4294967296ul); f.c = 7; f.c++; assert(f.c == -8); f.a--; f.a -= 1; assert(f.a == 7); f.d *= 2; assert(f.d == 0);
 union u x; x.w = 0xdeadbeef; assert(x.lo == 0xbeef && x.hi == 0xdead); x.hi = 1; assert(x.w == 0x1beef); vec v = { { 3, 4 } }; assert(v.v[1] == 4); v.v[0] = 9; assert(v.p.x == 9); struct outer o = { 1, { .i = 5 }, { 6 } }; assert(o.i == 5 && o.in.deep == 6); o.s = 0; assert(!o.s); struct outer q = o, *po = &q; po->in.deep++; assert(q.in.deep == 7 && o.in.deep == 6);
 int a[2][3] = { { 1, 2, 3 }, { 4 } }; assert(a[1][0] == 4 && a[1][2] == 0 && *(*(a + 1) + 0) == 4 && sizeof a / sizeof a[0] == 2); int (*row)[3] = a; row++; assert((*row)[0] == 4); int *flat = &a[0][0]; assert(flat[3] == 4); const char *t[][2] = { { "k", "v" }, { "x", "y" } }; assert(t[1][1][0] == 'y'); int64_t big = INT64_C(1) << 40; assert((int)big == 0 && (big >> 38) == 4); uintptr_t up = (uintptr_t)&a[1]; assert(up - (uintptr_t)a == 12); assert(_Alignof(double) == 8 && sizeof(long double) == 16); return 0; }
