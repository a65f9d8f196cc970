// sc SAFE tso SAFE pso SAFE
/* Lists of arguments, one of them without any, are handed on, copied and printed. */
#include <stdarg.h>
#include <stdio.h>
static void print(FILE *to, const char *format, va_list l) { vfprintf(to, format, l); }
static void say(const char *format, ...) {
	va_list l, k;
	char b[32];
	va_start(l, format);
	va_copy(k, l);
	print(stderr, format, l);
	vsnprintf(b, sizeof b, format, k);
	va_end(k);
	va_end(l);
}
int main(void) {
	say("%d", 1);
	say("nothing");
	return 0;
}
