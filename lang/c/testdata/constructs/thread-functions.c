// SAFE
#include <pthread.h>
#include <assert.h>
#include <stdlib.h>
typedef void *(*fn)(void *);
int x;
void t0(void) { x = 1; }
void *t1(int *p) { *p = 2; return p; }
int main() { pthread_t *t = (pthread_t *)malloc(2 * sizeof(pthread_t)); int loc; void *r; pthread_create(&t[0], 0, (void *(*)(void *))t0, 0); pthread_create(&t[1], 0, (fn)t1, &loc); pthread_join(t[0], 0); pthread_join(t[1], &r); assert(x == 1 && loc == 2 && r == &loc); free(t); return 0; }
