// sc SAFE
#include <assert.h>
#include <stdint.h>
typedef union {
	struct {
		uint32_t ptr, count;
	} s;
	uint64_t raw;
} pt;
pt f(pt a) {
	pt b = a;
	b.s.count++;
	return b;
}

int main(void) {
	pt a = { .raw = 7 };
	pt b = f(a);
	assert(b.raw == 0x100000007ull);
	assert(f(b).raw == 0x200000007ull);
	pt c = {{3, 4}};
	assert(c.raw == 0x400000003ull);
	pt *q = &c;
	q->raw = 1;
	assert(q->s.ptr == 1 && q->s.count == 0);
}
