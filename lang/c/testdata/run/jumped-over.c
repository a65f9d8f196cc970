// sc UNSAFE tso UNSAFE
// a goto past a declaration leaves its variable without a value
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
int main(void)
{
  if (__VERIFIER_nondet_int())
    goto over;
  int x = 1;
over:
  assert(x == 0 || x == 1);
}
