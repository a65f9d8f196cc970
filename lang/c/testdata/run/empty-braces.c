// sc SAFE tso SAFE pso SAFE rc11 SAFE
// Empty braces are 0, for whatever is initialised (C23, 6.7.10).
#include <assert.h>

struct s {
	int a, *p, c[3];
	unsigned f : 3;
	__int128 w;
};
static int number = {}, *pointer = {};
static struct s all = { {}, {}, { {}, {} }, {}, {} };
static int range[4] = { [0 ... 2] = {} };

static int dirty(void)
{
	volatile int a[40];
	for (int i = 0; i < 40; i++)
		a[i] = -1;
	return a[3];
}

int main(void)
{
	assert(dirty() == -1);
	int x = {}, *p = {}, y = {}, *q = &y, z[3] = { {}, 5, {} }, r[4] = { [1 ... 2] = {}, 7 };
	enum { A, B } e = {};
	_Bool b = {};
	__int128 w = {};
	static int kept = {};
	_Atomic int shared = {};
	volatile int v = {};
	struct s s = { {}, {}, {}, {}, {} }, t = { .c = { [1] = {} }, .a = {}, .f = {} };
	assert(x == 0 && !p && *q == 0 && e == A && !b && w == 0 && kept == 0 && shared == 0 && v == 0);
	assert(z[0] == 0 && z[1] == 5 && z[2] == 0 && r[0] == 0 && r[1] == 0 && r[2] == 0 && r[3] == 7);
	assert(s.a == 0 && !s.p && s.c[1] == 0 && s.f == 0 && s.w == 0 && t.a == 0 && t.c[1] == 0 && t.f == 0);
	assert((int){} == 0 && ((struct s){}).a == 0 && (int *){} == 0);
	assert(!number && !pointer && !all.a && !all.c[1] && !all.w && !range[1]);
	for (int i = {}; i < 2; i++)
		x += i;
	assert(x == 1);
	return 0;
}
