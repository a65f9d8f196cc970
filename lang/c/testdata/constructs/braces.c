// SAFE
// Values with more braces around them than they need.
#include <assert.h>

char a[4] = {{7}};
unsigned char b[3] = {[1] = {4}};
struct { char c[3]; int k; } s = {{{5}}, 6};
struct { struct { signed char c[2]; } in[2]; } t = {{{{{{1}}}}}};
char d[2][2] = {{{3}}, {1, 2}};
int e[2] = {{{9}}};
struct { int k; char c[2]; } u = {1, {{2},}};

int main(void) {
    char x[2] = {{(1, 2)}};
    assert(a[0] == 7 && a[1] == 0);
    assert(b[0] == 0 && b[1] == 4 && b[2] == 0);
    assert(s.c[0] == 5 && s.c[1] == 0 && s.k == 6);
    assert(t.in[0].c[0] == 1 && t.in[0].c[1] == 0 && t.in[1].c[0] == 0);
    assert(d[0][0] == 3 && d[0][1] == 0 && d[1][0] == 1 && d[1][1] == 2);
    assert(e[0] == 9 && e[1] == 0);
    assert(u.k == 1 && u.c[0] == 2 && u.c[1] == 0);
    assert(x[0] == 2 && x[1] == 0);
    return 0;
}
