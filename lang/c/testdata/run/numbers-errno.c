// sc SAFE
// Numbers in strings, and what stands in errno where they are too large.
#include <assert.h>
#include <stdlib.h>
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <inttypes.h>
int main(int argc, char **argv) {
	assert(strtol("42", NULL, 10) == 42 && strtoul("0x1f", 0, 0) == 31 && atoi(" -7x") == -7 && atol("9") == 9 && atoll("11") == 11);
	int n = argc > 1 ? atoi(argv[1]) : 2;
	assert(n == 2);
	char *end;
	errno = 0;
	long v = strtol("99 bottles", &end, 10);
	assert(v == 99 && *end == ' ' && errno == 0);
	assert(isdigit('7') && !isalpha('7') && isalpha('x') && toupper('x') == 'X' && isspace('\t') && isalnum('z') && isxdigit('f'));
	v = strtol("99999999999999999999", &end, 10);
	assert(v == LONG_MAX && errno == ERANGE);
	unsigned long u = strtoul("99999999999999999999999", &end, 10);
	assert(u == ULONG_MAX);

	return 0;
}
