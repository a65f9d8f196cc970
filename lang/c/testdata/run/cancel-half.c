// sc UNSAFE tso UNSAFE
// without the handler the mutex stays taken, and what it protects half done
#include <pthread.h>
#include <assert.h>
#include <unistd.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; int a, b;
void *w(void *p) { for (int i = 0; i < 2; i++) { a++; sleep(1); b++; } return 0; }
int main(void) { pthread_t t; pthread_create(&t,0,w,0); pthread_cancel(t); pthread_join(t,0); assert(a == b); return 0; }
