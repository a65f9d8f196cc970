// SAFE
#include <pthread.h>
#include <assert.h>
#include <stdlib.h>
#define NT 3
typedef struct { int tid; volatile int *cnt; } arg_t;
volatile int c; pthread_mutex_t l = PTHREAD_MUTEX_INITIALIZER;
void *w(void *v) { arg_t *a = v; pthread_mutex_lock(&l); *a->cnt += a->tid; pthread_mutex_unlock(&l); free(a); return (void *)(long)0; }
int main(int argc, char **argv) { pthread_t t[NT]; for (long i = 0; i < NT; i++) { arg_t *a = (arg_t *)malloc(sizeof *a); a->tid = i; a->cnt = &c; pthread_create(t + i, 0, w, (void *)a); } for (int i = NT - 1; i >= 0; --i) pthread_join(*(t + i), 0); assert(c == 3); return 0; }
