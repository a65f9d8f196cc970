// SAFE
#include <assert.h>
long strtol(const char *, char **, int);
int isdigit(int), tolower(int c);
int tolower(int c) { return c + 1; }
int main(void) {
	assert(strtol("0x2a", (char **)0, 0) == 42 && isdigit('7') && tolower(1) == 2);
	return 0;
}
