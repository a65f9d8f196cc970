// sc SAFE tso SAFE rc11 SAFE
// The order of bytes, for networks and files; what the processor says of itself may be anything.
#include <arpa/inet.h>
#include <assert.h>
#include <bits/pthreadtypes.h>
#include <byteswap.h>
#include <cpuid.h>
#include <endian.h>
#include <stdckdint.h>

static pthread_mutex_t lock;

int main(void)
{
	uint16_t (*swap)(uint16_t) = htons;
	assert(bswap_32(0x01020304) == 0x04030201u && bswap_16(0x0102) == 0x0201);
	assert(htobe64(1) == 1ull << 56 && be16toh(0x1234) == 0x3412 && le32toh(7) == 7);
	assert(htonl(1) == 1u << 24 && swap(1) == 256 && ntohs(htons(515)) == 515);
#if __BYTE_ORDER != __LITTLE_ENDIAN || BYTE_ORDER == BIG_ENDIAN
#error "x86 is little endian"
#endif
	struct in_addr home = { htonl(0x7f000001) };
	assert(*(unsigned char *)&home.s_addr == 127);

	unsigned a = 1, b = 2, c = 3, d = 4;
	if (!__get_cpuid(1, &a, &b, &c, &d))
		assert(a == 1 && d == 4);
	__cpuid(0, a, b, c, d);

	int sum;
	assert(ckd_add(&sum, 2147483647, 1) && !ckd_mul(&sum, 6, 7) && sum == 42);
	return 0;
}
