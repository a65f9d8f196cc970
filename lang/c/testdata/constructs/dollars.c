// SAFE
_Bool x$flush; int x$mem_tmp; int __unbuffered_p0_EAX$read = 0;
extern _Bool __VERIFIER_nondet_bool(void);
extern void __VERIFIER_atomic_begin(void); extern void __VERIFIER_atomic_end(void);
extern void abort(void);
void assume_abort_if_not(int cond) { if(!cond) {abort();} }
void reach_error() { ((void) sizeof ((0) ? 1 : 0), __extension__ ({ if (0) ; else __assert_fail ("0", "mix000.c", 8, __extension__ __PRETTY_FUNCTION__); })); }
void __VERIFIER_assert(int expression) { if (!expression) { ERROR: {reach_error();abort();} } }
int weak$$choice0;
#include <pthread.h>
void * P0(void *arg) {
  __VERIFIER_atomic_begin();
  weak$$choice0 = __VERIFIER_nondet_bool();
  x$flush = weak$$choice0 != 0 ? x$flush : (x$mem_tmp && !weak$$choice0 ? 1 : 0);
  __unbuffered_p0_EAX$read = 1;
  __VERIFIER_atomic_end();
  return 0;
}
int main() {
  pthread_t t0;
  pthread_create(&t0, ((void *)0), P0, ((void *)0));
  __VERIFIER_atomic_begin();
  int v = __unbuffered_p0_EAX$read;
  __VERIFIER_atomic_end();
  assume_abort_if_not(v);
  __VERIFIER_atomic_begin();
  __VERIFIER_assert(v == 1);
  __VERIFIER_atomic_end();
  return 0;
}
