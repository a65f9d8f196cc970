// SAFE
// Structures and unions among the variable arguments of a call.
#include <stdarg.h>
#include <assert.h>
union D { int i; long l; void *p; };
struct P { short a; char c; struct { int x[2]; } in; double d; };
struct B { unsigned a : 4, b : 9; _Bool t; };
struct E { };
int sum(int n, ...) {
    va_list l; va_start(l, n);
    int s = 0;
    union D d = va_arg(l, union D);
    s += d.l;
    struct P p = va_arg(l, struct P);
    s += p.a * 2 + p.c + p.in.x[0] * 10 + p.in.x[1];
    s += va_arg(l, struct B).b;
    s += va_arg(l, int);
    va_end(l);
    return s;
}
int main(void) {
    union D d = { .l = 70000000000 / 70000000 };
    struct P p = { -3, 'a', { { 4, 5 } }, 1.5 };
    struct B b = { .b = 300, .a = 5 };
    int r = sum(1, d, p, b, 7);
    assert(r == 1000 - 6 + 97 + 45 + 300 + 7);
    return 0;
}
