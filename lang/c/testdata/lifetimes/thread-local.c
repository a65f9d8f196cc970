// UNSAFE
#include <pthread.h>
_Thread_local int mine; int *p;
void *thr(void *a) { mine = 2; p = &mine; return 0; }
int main() { pthread_t t; pthread_create(&t, 0, thr, 0); pthread_join(t, 0); return *p; }
