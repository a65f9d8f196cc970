// sc SAFE
#include <assert.h>
int main(void) {
	assert(__builtin_popcountll(0xffffffffffull) == 40 && __builtin_clzll(1ull) == 63 && __builtin_ctzll(1ull << 40) == 40 && __builtin_parity(7) == 1);
	assert(__builtin_bswap32(0x01020304) == 0x04030201);
}
