// sc UNSAFE tso UNSAFE
// Nothing has been written to a member of a structure: it may be anything.
#include <assert.h>
struct s { int a, b; };
int main(void)
{
	struct s x;
	x.a = 1;
	assert(x.a == 1 && x.b == 0);
}
