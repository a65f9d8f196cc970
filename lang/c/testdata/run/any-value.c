// sc UNSAFE tso UNSAFE
// what a variable holds before it is written may be anything
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
int main(void)
{
  int seen;
  if (__VERIFIER_nondet_int())
    seen = 1;
  assert(seen != 7);
}
