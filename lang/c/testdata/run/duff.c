// sc SAFE tso SAFE pso SAFE rc11 SAFE
/* Duff's device, computed switch, nested ternaries, bit tricks, const tables, enum flags. */
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
enum flag { F_A = 1 << 0, F_B = 1 << 1, F_C = F_A | F_B };
static const uint8_t table[] = { [0] = 1, [3] = 9, 4, [1] = 7 };
static int out[8];
static void copy(int *to, const int *from, int count)
{
	int n = (count + 3) / 4;
	switch (count % 4) {
	case 0: do { *to++ = *from++;
	case 3:      *to++ = *from++;
	case 2:      *to++ = *from++;
	case 1:      *to++ = *from++;
		} while (--n > 0);
	}
}
static unsigned next_pow2(unsigned v) { v--; v |= v >> 1; v |= v >> 2; v |= v >> 4; v |= v >> 8; v |= v >> 16; return ++v; }
static void *f(void *p)
{
	int src[7] = { 1, 2, 3, 4, 5, 6, 7 };
	copy(out, src, 7);
	return memset((int *)p, 0xff, 4);
}
int main(void)
{
	pthread_t t;
	int x = 0;
	void *r;
	pthread_create(&t, 0, f, &x);
	pthread_join(t, &r);
	assert(r == &x && x == -1);
	assert(out[6] == 7 && out[0] == 1 && out[7] == 0);
	assert(sizeof table == 5 && table[4] == 4 && table[1] == 7 && table[2] == 0);
	assert(next_pow2(37) == 64 && next_pow2(64) == 64);
	enum flag e = F_C & ~F_A;
	assert(e == F_B ? e & F_B ? 1 : 0 : 0);
	return 0;
}
