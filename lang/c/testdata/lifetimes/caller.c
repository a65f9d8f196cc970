// SAFE
#include <assert.h>
void set(int *p, int v) { int *q = p; *q = v; }
int sum(int n, int *a) { int s = 0; for (int i = 0; i < n; i++) { int *e = &a[i]; s += *e; } return s; }
int main() { for (int k = 0; k < 2; k++) { int a[3]; for (int i = 0; i < 3; i++) set(&a[i], i); assert(sum(3, a) == 3); } return 0; }
