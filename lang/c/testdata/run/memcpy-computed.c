// sc SAFE tso SAFE
#include <string.h>
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
char buf[8]; int w[4] = {1,2,3,4}; int *ps[3];
static size_t put(char *to, const void *from, size_t n) { memcpy(to, from, n); return n; }
void *thr(void *a) { long n = (long)a; char *p = malloc(8); put(p, "abcdef", n); assert(p[n-1] == "abcdef"[n-1]); free(p); return 0; }
int main(void) { volatile int vn = 3; int n = vn; put(buf, "xyz", n); assert(buf[0] == 'x' && buf[2] == 'z' && buf[3] == 0);
 memmove(buf + 1, buf, n); assert(!memcmp(buf, "xxyz", 4)); memmove(buf, buf + 1, n); assert(!strncmp(buf, "xyzz", 4));
 memset(buf, 'q', n); assert(buf[2] == 'q' && buf[3] == 'z'); memset(w, 0, n * sizeof(int)); assert(!w[2] && w[3] == 4); memset(w, -1, n * sizeof *w); assert(w[1] == -1);
 memcpy(w, &w[3], sizeof(int) * (n - 2)); assert(w[0] == 4 && w[1] == -1);
 pthread_t t, s; pthread_create(&t,0,thr,(void*)3); pthread_create(&s,0,thr,(void*)2); pthread_join(t,0); pthread_join(s,0); return 0; }
