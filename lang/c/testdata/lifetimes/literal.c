// UNSAFE
struct s { int a; } *p;
int main() { if (!p) { p = &(struct s){ 4 }; int unused = 0; (void)unused; } return p->a; }
