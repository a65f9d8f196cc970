// sc SAFE tso SAFE
// what is called in the end registers one more function, which is called next
#include <stdlib.h>
#include <assert.h>
int n;
void last(void) { assert(n == 2); }
void more(void) { assert(n == 1); n = 2; }
void second(void) { assert(n == 0); n = 1; atexit(more); }
int main(void) { atexit(last); atexit(second); return 0; }
