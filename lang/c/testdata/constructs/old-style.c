// SAFE
extern void __assert_fail(const char *, const char *, unsigned, const char *);
add(a, b) int a; int b; { return a + b; }
int x;
main() { x = add(1, 2); if (x != 3) __assert_fail("x", "f", 1, "main"); return 0; }
