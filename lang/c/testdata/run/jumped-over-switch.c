// sc UNSAFE tso UNSAFE
// the declaration in front of the cases is never executed
#include <assert.h>
static int f(int c)
{
  switch (c) {
    int y;
  case 1:
    y = 2;
    return y;
  case 2:
    return y;
  }
  return 0;
}
int main(void)
{
  assert(f(1) == 2);
  assert(f(2) == 0);
}
