// sc SAFE tso SAFE
#include <pthread.h>
#include <semaphore.h>
#include <assert.h>
#include <stdlib.h>
void lock(void *m) { pthread_mutex_lock(m); }
void unlock(void *m) { pthread_mutex_unlock(m); }
struct ops { void (*lock)(void *); void (*unlock)(void *); } ops = { lock, unlock };
int n; void *mtx; void *sem; void *rw;
void *w(void *a) { ops.lock(mtx); n++; ops.unlock(mtx); pthread_rwlock_rdlock(rw); pthread_rwlock_unlock(rw); sem_post(sem); return 0; }
int main(void) { mtx = malloc(sizeof(pthread_mutex_t)); pthread_mutex_init(mtx, 0); sem = malloc(sizeof(sem_t)); sem_init(sem, 0, 0); rw = malloc(sizeof(pthread_rwlock_t)); pthread_rwlock_init(rw, 0);
 pthread_t s, t; pthread_create(&s,0,w,0); pthread_create(&t,0,w,0); sem_wait(sem); sem_wait(sem); assert(n == 2); pthread_mutex_destroy(mtx); return 0; }
