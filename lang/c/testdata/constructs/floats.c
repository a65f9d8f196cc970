// SAFE
#include <assert.h>
extern double sqrt(double);
static inline double unused(float f) { double d = f * 1.5; return sqrt(d); }
typedef struct { long long a __attribute__((__aligned__(__alignof__(long long)))); long double b; } max_align_t;
typedef union { float f; unsigned u; double d; } conv;
struct withf { int a; double d; };
struct withf g; double pi = 3.14;
__int128 big(void);
int main() { g.a = 1; assert(g.a == 1); return 0; }
