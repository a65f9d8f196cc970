// sc SAFE
#include <assert.h>
unsigned __VERIFIER_nondet_uint(void);
int main(void) {
	unsigned x = __VERIFIER_nondet_uint() % 5;
	int s = 0;
	switch (x) {
		case 0: s = 1;
		break;
		case 1: case 2: s = 2;
		break;
		case 3: case 4: s = 3;
		break;
	}
	assert(s);
	return 0;
}
