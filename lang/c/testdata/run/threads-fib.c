// sc SAFE tso SAFE
#include <pthread.h>
#include <assert.h>
struct job { int n; int r; };
void *fib(void *p) { struct job *j = p; if (j->n < 2) { j->r = j->n; return 0; }
  struct job a = { j->n - 1, 0 }, b = { j->n - 2, 0 }; pthread_t s, t; pthread_create(&s, 0, fib, &a); pthread_create(&t, 0, fib, &b); pthread_join(s, 0); pthread_join(t, 0); j->r = a.r + b.r; return 0; }
int main(void) { struct job j = { 2, 0 }; pthread_t t; pthread_create(&t, 0, fib, &j); pthread_join(t, 0); assert(j.r == 1); return 0; }
