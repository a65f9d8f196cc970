// sc SAFE tso SAFE
// the order of what is called before and after main, and where variables go out of scope
#include <assert.h>
#include <stdlib.h>
static int n, log_[16];
static void note(int k) { log_[n++] = k; }
static void gone(int *p) { note(*p); }
static void __attribute__((constructor(200))) second(void) { note(2); }
void first(void) __attribute__((constructor(101)));
void first(void) { note(1); }
__attribute__((__constructor__)) void third(void) { note(3); }
static void hook(void) { note(90); }
__attribute__((destructor)) static void last(void) { note(99); assert(n == 15); int want[] = { 1, 2, 3, 12, 11, 10, 21, 21, 32, 31, 41, 51, 50, 90, 99 }; for (int i = 0; i < 15; i++) assert(log_[i] == want[i]); }
static int f(int k) { int a __attribute__((cleanup(gone))) = 10; { __attribute__((cleanup(gone))) int b = 11, c = 12; if (k) return a + b + c; } return 0; }
static void g(void) { for (int i = 0; i < 3; i++) { int x __attribute__((cleanup(gone))) = 21; if (i == 1) break; if (i == 0) continue; } }
static int h(void) { int r = 0; again:; { int y __attribute__((cleanup(gone))) = r ? 31 : 32; if (!r++) goto again; } return r; }
int main(void) { atexit(hook); assert(n == 3); int r = f(1); assert(r == 33); g(); assert(h() == 2); int v = ({ int z __attribute__((cleanup(gone))) = 41; z + 1; }); assert(v == 42); int m __attribute__((cleanup(gone))) = 50; switch (v) { case 42: { int s __attribute__((cleanup(gone))) = 51; break; } } return 0; }
