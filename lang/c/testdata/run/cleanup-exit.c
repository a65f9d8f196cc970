// sc UNSAFE tso UNSAFE
// pthread_exit calls the handlers, too
#include <pthread.h>
#include <assert.h>
int x;
static void set(void *p) { x = 1; }
static void deep(int k) { if (k) pthread_exit(&x); }
void *w(void *p) { pthread_cleanup_push(set, 0); deep(1); pthread_cleanup_pop(0); return 0; }
int main(void) { pthread_t t; void *r; pthread_create(&t,0,w,0); pthread_join(t,&r); assert(r == &x); assert(x == 0); return 0; }
