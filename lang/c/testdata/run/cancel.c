// sc SAFE tso SAFE
#include <pthread.h>
#include <assert.h>
#include <unistd.h>
int progress; 
void cleanup(void *p) { *(int *)p = 7; }
void *w(void *a) { pthread_cleanup_push(cleanup, &progress); for (;;) { pthread_testcancel(); sched_yield(); } pthread_cleanup_pop(1); return 0; }
int main() { pthread_t t; void *r; pthread_create(&t,0,w,0); pthread_cancel(t); pthread_join(t, &r); assert(r == PTHREAD_CANCELED); assert(progress == 7); return 0; }
