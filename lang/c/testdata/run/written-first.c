// sc SAFE tso SAFE
// variables that are written before they are read, on every way there
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
int main(void)
{
  int seen, last;
  if (__VERIFIER_nondet_int())
    seen = 1;
  else
    seen = 2;
  for (int i = 0; i < 3; i++) {
    int round;
    round = i;
    last = round;
  }
  assert(seen != 7 && last == 2);
}
