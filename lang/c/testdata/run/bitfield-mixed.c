// sc SAFE
#include <assert.h>
struct {
	long a : 40;
	int b;
	char c : 3;
	unsigned short d : 9;
	_Bool e : 1;
} x = {-1, 2, -1, 511, 1};
int main(void) {
	x.a++;
	assert(x.a == 0 && x.b == 2 && x.c == -1 && x.d == 511 && x.e);
	x.b = -1;
	assert(x.a == 0);
	x.d = 0;
	assert(x.e && x.c == -1 && x.b == -1);
}
