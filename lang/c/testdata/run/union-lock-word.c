// sc SAFE
#include <assert.h>
#include <stdint.h>
union {
	uint32_t val;
	struct {
		uint8_t locked, pending;
		uint16_t tail;
	};
	struct {
		uint16_t lp;
		uint16_t t2;
	};
} l = { .val = 0x01020304 };
int main(void) {
	assert(l.locked == 4 && l.pending == 3 && l.tail == 0x102 && l.lp == 0x304);
	l.lp = 0xffff;
	assert(l.val == 0x0102ffff);
	l.val += 1;
	assert(l.tail == 0x103 && l.lp == 0);
	l.pending |= 0x80;
	assert(l.val == 0x01038000);
	union {
		int64_t q;
		int8_t b[8];
	}
	w = { .q = -2 };
	assert(w.b[0] == -2 && w.b[7] == -1);
	for (int i = 0; i < 8; i++) w.b[i] = i;
	assert(w.q == 0x0706050403020100ll);
}
