// SAFE
#include <pthread.h>
#include <semaphore.h>
#include <assert.h>
sem_t s; int x;
void *thr(void *a) { sem_wait(&s); assert(x == 1); return 0; }
int main() { pthread_t t; sem_init(&s, 0, 0); pthread_create(&t, 0, thr, 0); x = 1; sem_post(&s); pthread_join(t, 0); int v; sem_getvalue(&s, &v); assert(v == 0); assert(sem_trywait(&s) == -1); sem_destroy(&s); return 0; }
