// sc SAFE tso SAFE
#include <assert.h>
struct b;
struct a { const struct b *p; int x; const struct a *up; };
struct b { const struct a *q; int y; volatile struct a *r; };
struct a A; struct b B = { &A, 3, &A }; struct a A = { &B, 4, &A };
int main(void) { assert(A.p->q->x == 4 && B.q->p->y == 3 && A.up->up->x == 4 && B.r->x == 4); return 0; }
