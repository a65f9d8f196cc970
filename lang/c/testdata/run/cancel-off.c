// sc SAFE tso SAFE
// cancellation is put off
#include <pthread.h>
#include <assert.h>
#include <stdio.h>
#include <semaphore.h>
sem_t s; int a, b, order[3], n;
static void note(void *p) { order[n++] = *(int *)p; }
void *w(void *p) { int old, one = 1, two = 2; pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old); a++; pthread_testcancel(); b++; pthread_setcancelstate(old, 0);
 pthread_cleanup_push(note, &one); pthread_cleanup_push(note, &two); sem_wait(&s); order[2] = 7; pthread_cleanup_pop(0); pthread_cleanup_pop(0); return p; }
int main(void) { pthread_t t; void *r; sem_init(&s, 0, 0); pthread_create(&t,0,w,0); pthread_cancel(t); pthread_join(t,&r); assert(a == 1 && b == 1); assert(r == PTHREAD_CANCELED); assert(n == 2 && order[0] == 2 && order[1] == 1 && order[2] == 0); return 0; }
