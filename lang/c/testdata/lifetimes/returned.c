// UNSAFE
int *f(void) { int x = 3; return &x; }
int main() { int *p = f(); return *p; }
