// UNSAFE
extern void abort(void);
#include <assert.h>
void reach_error() { assert(0); }
void __VERIFIER_assert(int expression) { if (!expression) { ERROR: {reach_error();abort();}}; return; }
#include <pthread.h>
#ifndef TRUE
#define TRUE (_Bool)1
#endif
#ifndef FALSE
#define FALSE (_Bool)0
#endif
#ifndef NULL
#define NULL ((void*)0)
#endif
#ifndef FENCE
#define FENCE(x) ((void)0)
#endif
#ifndef IEEE_FLOAT_EQUAL
#define IEEE_FLOAT_EQUAL(x,y) (x==y)
#endif
void * P0(void *arg);
void * P1(void *arg);
void fence(); void isync(); void lwfence();
int __unbuffered_cnt; int __unbuffered_cnt = 0;
int __unbuffered_p0_EAX; int __unbuffered_p0_EAX = 0;
int __unbuffered_p1_EAX = 0;
_Bool main$tmp_guard0; _Bool main$tmp_guard1;
int x; int x = 0;
_Bool x$flush_delayed; int x$mem_tmp; _Bool x$r_buff0_thd0; _Bool x$w_buff0_used; int x$w_buff0; int *x$read_delayed_var;
int y; int y = 0;
_Bool weak$$choice0; _Bool weak$$choice2;
extern _Bool __VERIFIER_nondet_bool(void);
void __VERIFIER_atomic_begin(); void __VERIFIER_atomic_end();
void * P0(void *arg)
{
  __VERIFIER_atomic_begin();
  x$w_buff0 = 1;
  x$w_buff0_used = TRUE;
  __VERIFIER_assert(!(x$r_buff0_thd0 && x$w_buff0_used == FALSE));
  __VERIFIER_atomic_end();
  __VERIFIER_atomic_begin();
  __unbuffered_p0_EAX = y;
  __VERIFIER_atomic_end();
  __VERIFIER_atomic_begin();
  x = x$w_buff0_used ? x$w_buff0 : (x$w_buff0_used && x$r_buff0_thd0 ? x$w_buff0 : x);
  __VERIFIER_atomic_end();
  __VERIFIER_atomic_begin();
  __unbuffered_cnt = __unbuffered_cnt + 1;
  __VERIFIER_atomic_end();
  return 0;
}
void * P1(void *arg)
{
  __VERIFIER_atomic_begin();
  y = 1;
  __VERIFIER_atomic_end();
  __VERIFIER_atomic_begin();
  weak$$choice0 = __VERIFIER_nondet_bool();
  weak$$choice2 = __VERIFIER_nondet_bool();
  x$flush_delayed = weak$$choice2;
  x$mem_tmp = x;
  x = !x$w_buff0_used || !x$r_buff0_thd0 ? x : x$w_buff0;
  __unbuffered_p1_EAX = x;
  x = x$flush_delayed ? x$mem_tmp : x;
  x$flush_delayed = FALSE;
  __VERIFIER_atomic_end();
  __VERIFIER_atomic_begin();
  __unbuffered_cnt = __unbuffered_cnt + 1;
  __VERIFIER_atomic_end();
  return 0;
}
int main()
{
  pthread_t t0, t1;
  pthread_create(&t0, NULL, P0, NULL);
  pthread_create(&t1, NULL, P1, NULL);
  __VERIFIER_atomic_begin();
  main$tmp_guard0 = __unbuffered_cnt == 2;
  __VERIFIER_atomic_end();
  /* Program proven to be relaxed for X86, model checker says YES. */
  if (!main$tmp_guard0) { abort(); }
  __VERIFIER_atomic_begin();
  main$tmp_guard1 = !(__unbuffered_p0_EAX == 0 && __unbuffered_p1_EAX == 0);
  __VERIFIER_atomic_end();
  __VERIFIER_assert(main$tmp_guard1);
  return 0;
}
