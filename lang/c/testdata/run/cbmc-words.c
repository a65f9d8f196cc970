// sc SAFE tso UNSAFE
// the words of CBMC, without a header
int x, y, r0, r1, n;
__CPROVER_thread_local int mine;

void left(void) { x = 1; r0 = y; mine++; __CPROVER_assert(mine == 1, "own"); __CPROVER_atomic_begin(); n++; __CPROVER_atomic_end(); }

int main(void)
{
  __CPROVER_ASYNC_1: left();
  y = 1;
  r1 = x;
  mine++;
  __CPROVER_atomic_begin();
  int was = n;
  n++;
  assert(n == was + 1);
  __CPROVER_atomic_end();
  __CPROVER_assume(n == 2);
  assert(r0 || r1);
}
