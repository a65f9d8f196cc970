// sc SAFE tso SAFE pso SAFE rc11 SAFE
/* What a compiler knows without looking at what becomes of variables. */
#include <assert.h>
enum { E = 3 };
static const int c = 4;
int v;
static int s = __builtin_constant_p(2 + E);
int some[__builtin_constant_p(3) ? 2 : 1];
int main(void)
{
	const int l = 3;
	int a[2];
	assert(__builtin_constant_p(3) && __builtin_constant_p(E + 1) && __builtin_constant_p(sizeof v) && __builtin_constant_p("a"));
	assert(__builtin_constant_p(1 && E) && __builtin_constant_p((long)3 << 2) && __builtin_constant_p(sizeof a / sizeof a[0]));
	assert(__builtin_constant_p(-1) && __builtin_constant_p('a') && __builtin_constant_p(1.5) && s == 1 && sizeof some == 2 * sizeof v);
	assert(!__builtin_constant_p(c) && !__builtin_constant_p(l) && !__builtin_constant_p(&v) && !__builtin_constant_p(v));
	assert(!__builtin_constant_p(a[1]) && !__builtin_constant_p(v++) && v == 0);
	return __builtin_constant_p(v) ? 1 : 0;
}
