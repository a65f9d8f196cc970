// sc SAFE tso SAFE
#include <assert.h>
#include <stdlib.h>
static int x; static int *buf;
__attribute__((constructor)) static void init(void) { x = 5; buf = malloc(sizeof(int)); *buf = 1; }
__attribute__((destructor)) static void fini(void) { assert(*buf == 7); free(buf); }
int main(void) { assert(x == 5); *buf = 7; return 0; }
