// sc SAFE tso SAFE
// jumps, but none past a declaration whose variable is read then
#include <assert.h>
static int f(int n)
{
  int i = 0, s = 0;
again:
  i++;
  int twice = 2 * i;
  switch (n) {
  case 1: {
    int one = 1;
    s += one;
    break;
  }
  default:
    s += twice;
    if (s > 100)
      goto out;
  }
  if (i < 3)
    goto again;
out:
  return s;
}
int main(void)
{
  assert(f(1) == 3);
  assert(f(2) == 12);
}
