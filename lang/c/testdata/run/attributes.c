// sc SAFE tso SAFE
#include <assert.h>
#include <pthread.h>
__attribute__((weak)) int hook(void) { return 1; }
int x __attribute__((aligned(64))), y __attribute__((section(".data"), used)) = 2;
static _Atomic int z __attribute__((unused));
struct __attribute__((aligned(32))) S { int a; }; 
__attribute__((always_inline)) static inline int two(int a) __attribute__((const));
static inline int two(int a) { return 2 * a; }
void *w(void *a) __attribute__((noinline, hot));
void *w(void *a) { x = two(hook()); return 0; }
int main(void) { pthread_t t; pthread_create(&t,0,w,0); pthread_join(t,0); assert(x == 2 && y == 2 && sizeof(struct S) == 32 && _Alignof(struct S) == 32); return 0; }
