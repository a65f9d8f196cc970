// sc SAFE
#include <assert.h>
union u {
	unsigned int w;
	unsigned char b[4];
} x;
int main(void) {
	x.w = 0x01020304;
	assert(x.b[0] == 4 && x.b[3] == 1);
	x.b[1] = 0xff;
	assert(x.w == 0x0102ff04);
	return 0;
}
