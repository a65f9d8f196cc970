// UNSAFE
#include <pthread.h>
#include <assert.h>
#include <stdatomic.h>
struct req { atomic_int done; int v; };
_Atomic(struct req *) box;
void *server(void *a) { struct req *r; while (!(r = atomic_load(&box))); atomic_store(&r->done, 1); r->v = 7; return 0; }
void *client(void *a) { struct req r = { 0, 0 }; atomic_store(&box, &r); while (!atomic_load(&r.done)); return 0; }
int main() { pthread_t t, u; pthread_create(&t, 0, server, 0); pthread_create(&u, 0, client, 0); pthread_join(t, 0); pthread_join(u, 0); return 0; }
