package c_test

import (
	"testing"
)

// TestNoted has memory of one thread with numbers of 64 bits and pointers to which something is written by computed indices, and variables that are large: what
// is not written is anything.
func TestNoted(t *testing.T) {
	const k = "int k = __VERIFIER_nondet_uchar() % 2; "
	for _, p := range []struct{ name, want, text string }{
		{"numbers", "UNSAFE", k + "long x[3]; x[k] = 5; assert(x[2] == 0 || x[2] == 5);"},
		{"written", "SAFE", k + "long x[3]; x[2] = 4; x[k] = 5; assert(x[2] == 4);"},
		{"written by a loop", "SAFE", "int n = 0; long x[3]; while (n < 3) x[n++] = __VERIFIER_nondet_uchar(); assert(x[0] <= 255 && x[2] >= 0);"},
		{"written by a loop that ends early", "UNSAFE", k + "long x[3]; for (int i = 0; i < 2 + k; i++) x[i] = i; assert(x[2] == 2);"},
		{"where it is written", "SAFE", k + "long x[2]; x[k] = 5; x[!k] = 6; assert(x[k] == 5 && x[!k] == 6);"},
		{"where it is not", "UNSAFE", k + "long x[2]; x[k] = 5; assert(x[!k] != 6);"},
		{"what is computed of it", "UNSAFE", k + "long x[2], y[2]; y[1] = 1; x[k] = 5; y[k] = x[0]; assert(y[k] == 5 || y[k] == 0);"},
		{"all numbers are stored", "SAFE", k + "uint64_t x[2], n = *(uint64_t[]){7} * __VERIFIER_nondet_ulong(); x[k] = n; assert(x[k] == n);"},
		{"pointers", "UNSAFE", k + "struct s *x[3], y = {0}; x[k] = &y; assert(x[k] == &y); assert(x[2]->x == 0);"},
		{"a table that is not cleared", "UNSAFE", k + "struct s *tab[2], y = {0}; y.next = tab[k]; tab[k] = &y; int n = 0; for (struct s *p = tab[k]; p; p = p->next) n++; assert(n == 1);"},
		{"a table that is cleared", "SAFE", k + "struct s *tab[2], y = {0}; for (int i = 0; i < 2; i++) tab[i] = 0; y.next = tab[k]; tab[k] = &y; int n = 0; for (struct s *p = tab[k]; p; p = p->next) n++; assert(n == 1);"},
		{"given back", "UNSAFE", k + "void **x = malloc(2 * sizeof *x); x[k] = &k; assert(x[1] == 0 || x[1] == &k); free(x);"},
		{"of a block", "UNSAFE", k + "long *p; { long x[2]; x[k] = 4; p = x; assert(p[1] == 0 || p[1] == 4); } assert(k < 2 || p[0]);"},
		{"declared again", "UNSAFE", k + "for (int i = 0; i < 2; i++) { long x[2]; x[k] = 3; assert(!i || x[1] == 7 || x[1] == 3); x[1] = 7; }"},
		{"a large variable, declared again", "UNSAFE", "for (int i = 0; i < 3; i++) { char x[200]; if (!i) x[5] = 1; assert(!i || x[5] == 1); }"},
		{"outside of an array", "UNSAFE", k + "long x[2]; x[k] = 5; if (x[k + __VERIFIER_nondet_uchar() % 2] > 7) k = 0;"},
		{"a pointer that nobody has written", "UNSAFE", k + "struct s *x[2], y[2]; y[k].next = 0; x[k] = &y[k]; for (struct s *p = x[1]; p; p = p->next) k = 0;"},
		{"a list in an array", "SAFE", k + "struct s x[2]; x[k].next = &x[!k]; x[!k].next = 0; int n = 0; for (struct s *p = &x[k]; p; p = p->next) n++; assert(n == 2);"},
		{"an operation at once, outside of an array", "UNSAFE", k + "long x[2]; x[k] = 5; __atomic_fetch_add(&x[k + __VERIFIER_nondet_uchar() % 2], 1, 5);"},
		{"an operation at once", "SAFE", k + "long x[2] = {0}, y[2]; y[k] = 3; __atomic_fetch_add(&y[k], 1, 5); __atomic_store_n(&y[!k], 2, 5); assert(y[k] == 4 && y[!k] == 2);"},
	} {
		for _, alone := range []bool{false, true} {
			name, main, models := p.name, "int main(void) { GO(f, 0); f(0); }", unsetModels[1:4]
			if alone {
				name, main, models = p.name+", by main", "int main(void) { f(0); }", unsetModels
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				text := "unsigned char __VERIFIER_nondet_uchar(void); unsigned long __VERIFIER_nondet_ulong(void);\nvoid *f(void *a) { " + p.text + " return 0; }\n" + main + "\n"
				for _, m := range models {
					if got := verdictOf(t, read(t, "main.c", unsetHeader+text, m.c), m.model, "auto"); got != p.want {
						t.Errorf("%s: %s, want %s", m.model, got, p.want)
					}
				}
			})
		}
	}
}
