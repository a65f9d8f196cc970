// sc SAFE tso SAFE
#include <pthread.h>
#include <assert.h>
/* threads by a recursive function */
int sum; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *leaf(void *x) { pthread_mutex_lock(&m); sum += (int)(long)x; pthread_mutex_unlock(&m); return 0; }
void spawn(int n) { if (n == 0) return; pthread_t t; pthread_create(&t, 0, leaf, (void *)(long)n); spawn(n - 1); pthread_join(t, 0); }
int main() { spawn(3); assert(sum == 6); return 0; }
