// UNSAFE
int main() { int *p = 0, n = 0; again: if (p) { *p = 2; return 0; } { int x = n; p = &x; if (n == 0) { n = 1; goto again; } } return 0; }
