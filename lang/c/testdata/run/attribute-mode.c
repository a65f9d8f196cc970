// sc SAFE tso SAFE
#include <assert.h>
typedef int di __attribute__((mode(DI)));
typedef unsigned sh __attribute__((__mode__(__HI__)));
int main(void) { assert(sizeof(di) == 8 && (di)4294967296 == 4294967296 && sizeof(sh) == 2 && (sh)65536 == 0); return 0; }
