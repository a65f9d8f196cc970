// SAFE
#include <pthread.h>
void reach_error(void) { }
typedef unsigned int size_t2;
int data; pthread_mutex_t mutex = {{0}};
void *worker(void *arg ) { int tmp ; int *__cil_tmp3 ; unsigned long __cil_tmp4 ; int __cil_tmp5 ;
  { { pthread_mutex_lock(& mutex); __cil_tmp3 = & data; __cil_tmp4 = (unsigned long )__cil_tmp3; __cil_tmp5 = *((int *)__cil_tmp4); *((int *)__cil_tmp4) = __cil_tmp5 + 1; pthread_mutex_unlock(& mutex); }
  return ((void *)0); } }
int main(void) { pthread_t t ; pthread_t *__cil_tmp2 ; void *__cil_tmp4; int i ;
  { { __cil_tmp2 = & t; __cil_tmp4 = (void *)0; pthread_create(__cil_tmp2, (pthread_attr_t const *)__cil_tmp4, & worker, __cil_tmp4); } i = 0; { while (1) { while_0_continue: /* CIL Label */ ; if (i < 3) { } else { goto while_0_break; } i = i + 1; } while_0_break: /* CIL Label */ ; }
  pthread_join(t, (void **)0); if (data != 1) { { reach_error(); } } return (0); } }
