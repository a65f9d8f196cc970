// sc SAFE
#include <stdio.h>
#include <string.h>
#include <assert.h>
int main(void) {
	char b[40];
	int n = sprintf(b, "%d,%5d,%03d,%u,%x,%c,%s%%", -12, 42, -7, 4000000000u, 0xbeef, 'z', "hi");
	assert(!strcmp(b, "-12,   42,-07,4000000000,beef,z,hi%"));
	assert(n == 35);
	n = snprintf(b, 4, "%ld", -123456789012l);
	assert(n == 13 && !strcmp(b, "-12"));
	n = snprintf(b, 0, "x");
	assert(n == 1 && b[0] == '-');
	return 0;
}
