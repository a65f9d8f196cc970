// SAFE
#include <assert.h>
#include <limits.h>
#include <stdbool.h>
enum st { IDLE, RUN = 4, STOP } s = RUN;
typedef enum { false_ = 0, true_ = 1 } boolean;
int f(enum st x) { switch (x) { case IDLE: return 0; case RUN: { int k = 2; return k; } default: return -1; } }
int main() { assert(f(s) == 2); assert(f(STOP) == -1); boolean b = true_; assert(b); unsigned char c = UCHAR_MAX; c += 1; assert(c == 0); return 0; }
