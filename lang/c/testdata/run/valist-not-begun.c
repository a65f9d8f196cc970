// sc UNSAFE tso UNSAFE pso UNSAFE
/* A list of arguments that nobody has begun is printed. */
#include <stdarg.h>
#include <stdio.h>
static void say(const char *format, ...) {
	va_list l;
	vprintf(format, l);
	va_end(l);
}
int main(void) {
	say("%d", 1);
	return 0;
}
