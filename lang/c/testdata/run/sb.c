// sc SAFE tso UNSAFE pso UNSAFE
#include <pthread.h>
#include <assert.h>
int x, y, r1, r2;
void *t1(void *a) { x = 1; r1 = y; return 0; }
void *t2(void *a) { y = 1; r2 = x; return 0; }
int main(void) {
  pthread_t p[2];
  pthread_create(&p[0], 0, t1, 0);
  pthread_create(&p[1], 0, t2, 0);
  for (int i = 0; i < 2; i++) pthread_join(p[i], 0);
  assert(r1 || r2);
  return 0;
}
