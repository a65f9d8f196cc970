// UNSAFE
#include <pthread.h>
void *thr(void *a) { int k = *(int *)a; return 0; }
int main() { pthread_t t[2]; for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, thr, &i); pthread_join(t[0], 0); pthread_join(t[1], 0); return 0; }
