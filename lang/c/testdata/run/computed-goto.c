// sc SAFE tso SAFE
#include <assert.h>
#include <pthread.h>
/* K&R, computed goto */
int total;
pthread_mutex_t mx = PTHREAD_MUTEX_INITIALIZER;
int step(a, b) int a; int b; { return a * 2 + b; }
void *run(void *p) {
  static const unsigned char prog[] = { 0, 1, 1, 2 };
  static void *ops[] = { &&op_push, &&op_add, &&op_halt };
  int pc = 0, acc = 0;
  goto *ops[prog[pc++]];
op_push: acc = 1; goto *ops[prog[pc++]];
op_add: acc = step(acc, 1); goto *ops[prog[pc++]];
op_halt:
  pthread_mutex_lock(&mx); total += acc; pthread_mutex_unlock(&mx);
  return 0;
}
int main() { pthread_t t, s; pthread_create(&t,0,run,0); pthread_create(&s,0,run,0); pthread_join(t,0); pthread_join(s,0); assert(total==14); return 0; }
