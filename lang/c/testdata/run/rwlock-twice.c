// sc UNSAFE tso UNSAFE rc11 UNSAFE
#include <pthread.h>
pthread_rwlock_t l;
int main() { pthread_rwlock_init(&l, 0); pthread_rwlock_rdlock(&l); pthread_rwlock_unlock(&l); pthread_rwlock_unlock(&l); pthread_rwlock_wrlock(&l); return 0; }
