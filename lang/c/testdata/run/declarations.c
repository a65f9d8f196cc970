// sc SAFE tso SAFE
#include <pthread.h>
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#define LOG(fmt, ...) printf_(fmt, ##__VA_ARGS__)
static int printf_(const char *f, ...) { return (int)strlen(f); }
#if defined(__has_attribute)
#if __has_attribute(noinline)
#define NOINLINE __attribute__((noinline))
#endif
#endif
#ifndef NOINLINE
#define NOINLINE
#endif
#pragma GCC diagnostic ignored "-Wunused"
struct in { struct { int v[3]; } a; int b; }; static struct in S = { .a.v[1] = 4, .b = 2, .a.v[2] = 6 };
static int even(unsigned); static int odd(unsigned n) { return n ? even(n - 1) : 0; }
static NOINLINE int even(unsigned n) { return n ? odd(n - 1) : 1; }
int (*pick(int k))(unsigned) { return k ? even : odd; }
extern int late; int late = 3; int tentative; int tentative;
static int digits[] = { [0 ... 2] = 1, [5] = 9, 10 };
void *w(void *a) { int **m = malloc(2 * sizeof *m); for (int i = 0; i < 2; i++) { m[i] = calloc(2, sizeof(int)); m[i][i] = i + 1; } int tr = m[0][0] + m[1][1]; for (unsigned i = 2; i-- > 0;) free(m[i]); free(m); int (*mm)[3] = malloc(2 * sizeof *mm); memset(mm, 0, 2 * sizeof *mm); mm[1][2] = 5; tr += mm[1][2]; free(mm); return (void *)(long)tr; }
int main(void) { assert(LOG("abc") == 3 && LOG("%d", 1) == 2); assert(S.a.v[0] == 0 && S.a.v[1] == 4 && S.a.v[2] == 6 && S.b == 2); assert(pick(1)(4) && !pick(0)(4)); assert(late == 3 && tentative == 0); assert(sizeof digits / sizeof *digits == 7 && digits[2] == 1 && digits[6] == 10 && digits[3] == 0);
 pthread_t t; void *r; pthread_create(&t,0,w,0); pthread_join(t,&r); assert((long)r == 8); int i = 0; do { if (i == 1) continue; } while (++i < 3); assert(i == 3); int v[3] = {1,2,3}, *e = &v[3]; assert(e[-1] == 3 && e - v == 3); int z = 0; int q = z ?: 4; assert(q == 4); assert("ab" "cd"[1] == 'b'); const char *s = "x" "y"; assert(s[1] == 'y'); return 0; }
