// sc SAFE tso SAFE
// what turns cancellation off stands behind the cancellation point, which is come to again
#include <pthread.h>
#include <assert.h>
int half;
void *w(void *p) { for (int i = 0; i < 2; i++) { pthread_testcancel(); pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, 0); half = 1; } half = 0; return 0; }
int main(void) { pthread_t t; pthread_create(&t,0,w,0); pthread_cancel(t); pthread_join(t,0); assert(!half); return 0; }
