// sc SAFE
#include <assert.h>
struct s {
	_Bool f : 1;
	unsigned x : 31;
	char c;
};
int main(void) {
	struct s x = {0};
	x.f = 5;
	x.x = 77;
	x.c = 'a';
	assert(x.f == 1 && x.x == 77 && x.c == 'a');
	return 0;
}
