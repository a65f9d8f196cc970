// sc SAFE
#include <assert.h>
#include <string.h>
union {
	long l;
	int i[2];
	short s[4];
} u, v;
int main(void) {
	memset(&u, 0xff, sizeof u);
	assert(u.l == -1 && u.s[2] == -1);
	v = u;
	assert(v.l == -1);
	u.l = 0x0004000300020001;
	assert(u.s[0] == 1 && u.s[3] == 4);
	memcpy(&v, &u, sizeof v);
	assert(v.l == u.l);
}
