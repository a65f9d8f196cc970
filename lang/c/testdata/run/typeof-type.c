// sc SAFE tso SAFE rc11 SAFE
// Declarations whose types are typeof of a type.
#include <assert.h>
#include <stdatomic.h>
#define LIST(T) struct { __typeof__(T) *head; int n; }
#define swap(T, a, b) do { typeof(T) t_ = (a); (a) = (b); (b) = t_; } while (0)
typedef struct { int x; } item;
typedef _Atomic int counter;
struct s { unsigned k : 3; } s;
static LIST(item) l;
static __typeof__(counter) at;
_Atomic(__typeof__(int *)) ap;
extern __typeof__(l.n) extra;
int extra = 2;
extern const __typeof__(int (*)(int)) fp;
static int inc(int x) { return x + 1; }
__typeof__(int (*)(int)) const fp = inc;
static inline __typeof__(int *) same(__typeof__(int *) p) { return p; }
int main(void) {
	int a = 1, b = 2;
	swap(int, a, b);
	assert(a == 2 && b == 1 && !l.head && sizeof l == 16 && extra == 2 && fp(1) == 2);
	__typeof__(a + 1L) w = 3;
	assert(sizeof w == 8 && w == 3);
	item i;
	l.head = &i;
	ap = &a;
	assert(*ap == 2 && same(&b) == &b);
	__typeof__(int[2]) v = {1, 2};
	assert(v[1] == 2);
	at++;
	atomic_fetch_add(&at, 2);
	assert(at == 3);
	return 0;
}
