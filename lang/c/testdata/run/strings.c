// sc SAFE
#include <string.h>
#include <stdlib.h>
#include <assert.h>
int main(void) {
	char b[8] = "ab";
	strncat(b, "cdef", 3);
	assert(!strcmp(b, "abcde"));
	assert(strnlen(b, 3) == 3 && strrchr("abca", 'a') != 0 && memchr(b, 'c', 5) == b + 2);
}
