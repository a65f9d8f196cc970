// sc SAFE
#include <assert.h>
struct s {
	unsigned a : 3;
	unsigned b : 5;
	int c : 4;
	unsigned : 0;
	unsigned d : 9;
} x;
int main(void) {
	x.a = 9;
	x.b = 31;
	x.c = 7;
	x.d = 511;
	assert(x.a == 1 && x.b == 31 && x.c == 7 && x.d == 511);
	x.c++;
	assert(x.c == -8);
	x.b += 1;
	assert(x.b == 0 && x.a == 1);
	return 0;
}
