// UNSAFE
int main() { int *p = 0; for (int i = 0; i < 3; i++) { int a[2] = { i, i }; p = a; if (i == 1) break; } return p[1]; }
