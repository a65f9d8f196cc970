// sc SAFE tso SAFE rc11 SAFE
// A pointer that goes along bytes begins at the first of one object, or right behind the last of another.
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

static struct { int a; short b[2]; } x = {0x01020304, {5, 6}};
static struct { long n; } y = {7};

int main(void)
{
	int n = __VERIFIER_nondet_int(), up = __VERIFIER_nondet_int();
	if (n < 0 || n > 8)
		return 0;
	unsigned char *p = up ? (unsigned char *)&x : (unsigned char *)(&y + 1);
	unsigned sum = 0;
	if (up) {
		while (n--)
			sum += *p++;
		assert(sum <= 21);
	} else {
		while (n--)
			sum += *--p;
		assert(sum <= 7);
	}
	return 0;
}
