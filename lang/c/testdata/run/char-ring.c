// sc SAFE tso SAFE
/* threads pass a struct by pointer to stack of main in a loop with index bug-free; sizes by strlen; ring of chars with memcpy */
#include <pthread.h>
#include <string.h>
#include <assert.h>
#define CAP 8
static char ring[CAP]; static unsigned wr, rd; static pthread_mutex_t mu = PTHREAD_MUTEX_INITIALIZER; static pthread_cond_t cv = PTHREAD_COND_INITIALIZER;
static void put(const char *s, size_t n) { pthread_mutex_lock(&mu); while (CAP - (wr - rd) < n) pthread_cond_wait(&cv, &mu); size_t at = wr % CAP, first = n < CAP - at ? n : CAP - at; memcpy(ring + at, s, first); memcpy(ring, s + first, n - first); wr += n; pthread_cond_broadcast(&cv); pthread_mutex_unlock(&mu); }
static void get(char *d, size_t n) { pthread_mutex_lock(&mu); while (wr - rd < n) pthread_cond_wait(&cv, &mu); for (size_t i = 0; i < n; i++) d[i] = ring[(rd + i) % CAP]; rd += n; pthread_cond_broadcast(&cv); pthread_mutex_unlock(&mu); }
static void *producer(void *a) { const char *msg[] = { "hello", "wo", "rld" }; for (unsigned i = 0; i < 3; i++) put(msg[i], strlen(msg[i])); return 0; }
int main(void) { pthread_t t; char b[11] = ""; pthread_create(&t,0,producer,0); get(b, 5); get(b + 5, 5); pthread_join(t,0); assert(!strcmp(b, "helloworld")); return 0; }
