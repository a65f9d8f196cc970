// SAFE
#include <pthread.h>
void *thr(void *a) { *(int *)a = 4; return 0; }
int main() { int x; pthread_t t; pthread_create(&t, 0, thr, &x); pthread_detach(t); return 0; }
