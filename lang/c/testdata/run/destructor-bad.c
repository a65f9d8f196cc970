// sc UNSAFE tso UNSAFE
#include <assert.h>
static int x;
static void fini(void) __attribute__((destructor));
static void fini(void) { assert(x == 0); }
int main(void) { x = 7; return 0; }
