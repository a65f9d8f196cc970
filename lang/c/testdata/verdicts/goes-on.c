// sc SAFE, tso SAFE, pso SAFE, race SAFE, deadlock SAFE
// As long as a thread changes memory something goes on, also where nobody else looks: it hangs nobody.
#include <pthread.h>
#include <stdatomic.h>
int ticks; atomic_int flag;
static void *counts(void *x) { for (;;) ticks ^= 1; return 0; }
static void *waits(void *x) { while (!atomic_load(&flag)); return 0; }
int main(void) { pthread_t s, t; pthread_create(&s, 0, counts, 0); pthread_create(&t, 0, waits, 0); pthread_join(t, 0); return 0; }
