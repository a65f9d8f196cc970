// UNSAFE
#include <pthread.h>
#include <stdio.h>
extern void abort(void);
void reach_error() { }
#define __goblint_check(e) __VERIFIER_assert(e)
void __VERIFIER_assert(int cond) { if (!(cond)) { ERROR: {reach_error();abort();} } }
extern int __VERIFIER_nondet_int();
int glob; pthread_mutex_t ms[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
void *t_fun(void *arg) { pthread_mutex_lock(&ms[0]); glob = 5; pthread_mutex_unlock(&ms[0]); return NULL; }
int main(void) { pthread_t id; int i = __VERIFIER_nondet_int() ? 1 : 0; pthread_create(&id, NULL, t_fun, NULL); pthread_mutex_lock(&ms[i]); __goblint_check(glob == 0); pthread_mutex_unlock(&ms[i]); pthread_join(id, NULL); return 0; }
