#ifndef _FP_DAT3M_H
#define _FP_DAT3M_H
void __VERIFIER_loop_bound(int);
void __VERIFIER_loop_begin(void);
void __VERIFIER_spin_start(void);
void __VERIFIER_spin_end(int);
#define await_while(c) while (c)
#endif
