// sc SAFE
#include <assert.h>
union {
	int i;
	char c[4];
	struct {
		unsigned lo : 8;
		unsigned hi : 24;
	} b;
} u;
int main(void) {
	u.i = 0x12345678;
	assert(u.b.lo == 0x78 && u.b.hi == 0x123456 && u.c[1] == 0x56);
	u.b.hi = 1;
	assert(u.i == 0x178);
}
