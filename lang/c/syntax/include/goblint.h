#ifndef _FP_GOBLINT_H
#define _FP_GOBLINT_H
void __goblint_check(int);
void __goblint_assert(int);
void __goblint_assume(int);
void __goblint_assume_join();
void __goblint_split_begin(int);
void __goblint_split_end(int);
void __goblint_bounded();
void __goblint_globalize();
#endif
