// UNSAFE
extern void abort(void); void reach_error() {} 
extern _Bool __VERIFIER_nondet_bool(); extern int __VERIFIER_nondet_int();
#include <pthread.h>
volatile unsigned r = 0; int w, x, y;
void __VERIFIER_atomic_take_write_lock() { if (!(w==0 && r==0)) abort(); w = 1; }
void __VERIFIER_atomic_take_read_lock() { if (!(w==0)) abort(); r = r+1; }
void *writer(void *a) { __VERIFIER_atomic_take_write_lock(); x = 3; w = 0; return 0; }
void *reader(void *a) { int l; __VERIFIER_atomic_take_read_lock(); l = x; y = l; if (!(y == x)) { ERROR: {reach_error();abort();} } r = r-1; return 0; }
int main() { pthread_t t; while (__VERIFIER_nondet_bool()) { if (__VERIFIER_nondet_int()) pthread_create(&t, 0, writer, 0); else pthread_create(&t, 0, reader, 0); } return 0; }
