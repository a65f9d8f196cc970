// SAFE
#include <stdarg.h>
#include <stdio.h>
#include <assert.h>
static void log_it(const char *fmt, ...) { va_list ap; va_start(ap, fmt); vprintf(fmt, ap); va_end(ap); }
int main() { int x = 3; log_it("x = %d\n", x); char buf[16];  assert(x == 3); return 0; }
