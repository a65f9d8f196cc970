// SAFE
#include <assert.h>
#include <stdlib.h>
#include <stdint.h>
int n = 3;
int main() { int *p = malloc(n * sizeof(int)); for (int i = 0; i < n; i++) p[i] = i; assert(p[2] == 2); free(p); char *q = calloc(1, 4); assert(q[3] == 0); free(q); return 0; }
