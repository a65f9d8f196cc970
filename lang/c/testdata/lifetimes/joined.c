// SAFE
#include <pthread.h>
#include <assert.h>
void *thr(void *a) { *(int *)a = 4; return 0; }
int run(void) { int x = 0; pthread_t t; pthread_create(&t, 0, thr, &x); pthread_join(t, 0); return x; }
int main() { assert(run() == 4); return 0; }
