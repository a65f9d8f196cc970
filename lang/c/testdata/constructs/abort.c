// SAFE
extern void abort(void);
extern int __VERIFIER_nondet_int(void);
void reach_error() { }
int main() { int x = __VERIFIER_nondet_int(); if (x < 0) abort(); if (x < 0) reach_error(); return 0; }
