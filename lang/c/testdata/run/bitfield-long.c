// sc SAFE
#include <assert.h>
#include <stdint.h>
struct s {
	uint64_t ptr : 48;
	uint64_t tag : 16;
};
int main(void) {
	struct s x = { .ptr = 0xffffffffffffull, .tag = 3 };
	x.tag++;
	assert(x.tag == 4);
	assert(x.ptr == 0xffffffffffffull);
	x.ptr++;
	assert(x.ptr == 0);
	return 0;
}
