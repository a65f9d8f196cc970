// sc SAFE tso SAFE pso SAFE rc11 SAFE
/* X-macros, token pasting, stringizing, variadic macros, counters, offsets of members in arrays. */
#include <pthread.h>
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#define EVENTS(X) X(open, 1) X(close, 2) X(flush, 4)
#define ENUM(n, v) EV_##n = v,
enum event { EVENTS(ENUM) EV_ALL };
#define NAME(n, v) #n,
static const char *const names[] = { EVENTS(NAME) };
#define CAT_(a, b) a##b
#define CAT(a, b) CAT_(a, b)
#define UNIQUE(p) CAT(p, __LINE__)
#define MAX(a, b) ({ __typeof__(a) UNIQUE(x) = (a), UNIQUE(y) = (b); UNIQUE(x) > UNIQUE(y) ? UNIQUE(x) : UNIQUE(y); })
#define BUILD_BUG_ON_ZERO(e) ((int)(sizeof(struct { int : (-!!(e)); })))
#define __same_type(a, b) __builtin_types_compatible_p(typeof(a), typeof(b))
#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]) + BUILD_BUG_ON_ZERO(sizeof(a) == 0))
#define STR(x) #x
#define COUNT_(_1, _2, _3, n, ...) n
#define COUNT(...) COUNT_(__VA_ARGS__, 3, 2, 1)
_Static_assert(1, "");
int main(void)
{
	int v[COUNT(a, b, c)] = { 0 };
	assert(sizeof v == 12);
	assert(MAX(3, 7) == 7 && MAX(-1L, -5L) == -1);
	assert(strcmp(STR(a + b), "a + b") == 0);
	assert(EV_ALL == 5 && strcmp(names[1], "close") == 0 && ARRAY_SIZE(names) == 3);
	assert(__same_type(v[0], int) && !__same_type(v, char));
	return v[0];
}
