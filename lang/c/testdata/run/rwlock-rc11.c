// sc SAFE tso SAFE rc11 SAFE
#include <pthread.h>
#include <assert.h>
pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
int a, b;
void *writer(void *x) { int v = *(int*)x; pthread_rwlock_wrlock(&l); a = v; b = v; pthread_rwlock_unlock(&l); return 0; }
void *reader(void *x) { pthread_rwlock_rdlock(&l); int p = a, q = b; pthread_rwlock_unlock(&l); assert(p == q); return 0; }
int main() { pthread_t t[3]; int v1 = 1;
 pthread_create(t, 0, writer, &v1); pthread_create(t+1, 0, reader, 0); pthread_create(t+2, 0, reader, 0);
 for (int i = 0; i < 3; i++) pthread_join(t[i], 0); return 0; }
