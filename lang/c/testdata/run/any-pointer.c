// sc UNSAFE tso UNSAFE
// a pointer that was not written may be null and may not be
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
int x;
int main(void)
{
  int *p;
  if (__VERIFIER_nondet_int())
    p = &x;
  assert(p == 0 || p == &x);
}
