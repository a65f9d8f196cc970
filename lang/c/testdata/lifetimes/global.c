// UNSAFE
#include <pthread.h>
int *g;
void *thr(void *a) { int local = 3; g = &local; return 0; }
int main() { pthread_t t; pthread_create(&t, 0, thr, 0); pthread_join(t, 0); return *g; }
