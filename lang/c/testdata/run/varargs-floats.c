// sc SAFE
#include <assert.h>
#include <stdarg.h>
#include <stddef.h>
struct e { unsigned char t; unsigned v; } __attribute__((__packed__));
_Static_assert(sizeof(struct e) == 5, "e");
double d = 1e3; float g[3]; struct w { int a; double d; float f; } w, w2;
union u { double d; unsigned long l; } u;
static double half(double x) { return x / 2; }
static int n(const char *f, ...) { va_list a, b; va_start(a, f); va_copy(b, a); int s = 0; for (; *f; f++) switch (*f) { case 'i': s += va_arg(a, int); break; case 'l': s += (int)va_arg(a, long); break; case 'p': s += *va_arg(a, int *); break; case 'd': va_arg(a, double); } s += va_arg(b, int); va_end(a); va_end(b); return s; }
int main(void) {
  int x = 5; char c = -3;
  assert(n("iplidi", 1, &x, 3L, c, 2.5, 'a' - 'a') == 1 + 5 + 3 - 3 + 1);
  int k = 1e3; assert(k == 1000); assert((int)(0.5 * 7) == 3); assert(1.5f > 1); assert(-2.5 < 0 && !(0.1 + 0.2 == 0.3));
  w.a = 3; w.d = half(d); w2 = w; assert(w2.a == 3);
  g[1] += 2; double t = g[1] * x; t++; (void)t;
  return 0; }
