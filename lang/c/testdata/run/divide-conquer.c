// sc SAFE tso SAFE
#include <pthread.h>
#include <assert.h>
/* divide and conquer: thread function creates itself */
struct arg { int lo, hi, sum; };
int a[4] = {1,2,3,4};
void *sumup(void *p) { struct arg *x = p; if (x->hi - x->lo <= 1) { x->sum = a[x->lo]; return 0; }
  int mid = (x->lo + x->hi) / 2; struct arg l = { x->lo, mid, 0 }, r = { mid, x->hi, 0 };
  pthread_t t; pthread_create(&t, 0, sumup, &l); sumup(&r); pthread_join(t, 0); x->sum = l.sum + r.sum; return 0; }
int main() { struct arg x = { 0, 4, 0 }; sumup(&x); assert(x.sum == 10); return 0; }
