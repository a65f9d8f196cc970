package c_test

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fencepost-verifier/fencepost/lang/c"
	"github.com/fencepost-verifier/fencepost/program"
)

// FuzzParse: whatever the text, there is a program that engines can rely on, or a
// diagnostic that is no mistake of ours.
func FuzzParse(f *testing.F) {
	files, _ := filepath.Glob("testdata/run/*.c")
	fuzzing := flag.Lookup("test.fuzz").Value.String() != ""
	for i, file := range files {
		if !fuzzing && i%4 != 0 { // TestRun reads them all
			continue
		}
		if text, err := os.ReadFile(file); err == nil {
			f.Add(string(text))
		}
	}
	for _, s := range sequential {
		f.Add("int main(void) { " + s.body + " }")
	}
	f.Add("\n*")
	f.Add("void f(void) { int * }")
	f.Fuzz(func(t *testing.T, text string) {
		// What takes milliseconds on an idle machine does not take that long on a busy one, under a fuzzer.
		hangs := time.AfterFunc(15*time.Minute, func() { panic("this text takes more than a quarter of an hour") })
		defer hangs.Stop()
		p, err := c.Parse(&program.Source{Name: "f.c", Text: text}, c.Options{Unroll: 2})
		var d *program.Diagnostic
		switch {
		case err == nil:
			if err := program.Sanity(p); err != nil {
				t.Fatal(err)
			}
		case !errors.As(err, &d):
			t.Fatalf("%T: %v", err, err)
		case strings.Contains(d.Hint, "mistake in Fencepost"), strings.Contains(d.Msg, "cannot be parsed within"):
			t.Fatal(err)
		}
	})
}

// TestMessages checks what is said about programs that are wrong or not modelled.
func TestMessages(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"int main(void) { return f(1); }", "f.c:1:25: f is not declared"},
		{"double d; int main(void) { int x = d; return x; }", "not modelled: floating point"},
		{"void *t(void *", "f.c:1:8: ( is not closed"},
		{"int x;\nvoid *\n\n", "f.c:2:1: the text ends in the middle of a declaration"},
		{"int main{int a = 0; }", "f.c:1:5: main has a body and no list of parameters"},
		{"int (*f)(void) { return 0; } int main(void) { return f(); }", "f has a body and no list of parameters"},
		{"#include <std\\", "f.c:2:1: a name or a text that is not closed"},
		{"#include \"std\\\n", "f.c:2:1: a name or a text that is not closed"},
		{"int x", "the text ends in the middle of a declaration"},
		{"int main(void) { int a[2]; a = 0; return 0; }", "an array cannot be assigned to"},
		{"int f(void); int main(void) { f() = 1; return 0; }", "f.c:1:31: this is a value, and no place in memory: it cannot be assigned to"},
		{"struct s { int x; } f(void); int main(void) { f().x = 1; return 0; }", "f.c:1:47: this is a value, and no place in memory: it cannot be assigned to"},
		{"int main(void) { int n = 1; (n ? n : n) = 2; return 0; }", "f.c:1:29: this is a value"},
		{"int main(void) { int n = 1; n + 1 = 2; return 0; }", "f.c:1:35: what is before this is a value, and no place in memory"},
		{"int i; long l; int main(void) { _Generic(i, int: i, long: l) = 3; return 0; }", "f.c:1:33: not modelled: _Generic as a place in memory"},
		{"struct s { int a; } v; int main(void) { int *p = &(_Generic(1, int: v)).a; return 0; }", "f.c:1:51: not modelled: _Generic as a place in memory"},
		{"struct t { int a; } s; int c;\nint main(void) {\n\tdo { c = 2; c = c ? s : 1; c = 3; } while (c);\n\treturn 0;\n}", "f.c:3:14: this is not C"},
		{"enum e { A, B };\nint main(void) {\n\tfor (int i = 0; i < 2; i++) {\n#if 1\n\t\tA = 2;\n#endif\n\t}\n\treturn 0;\n}", "f.c:5:3: this is not C"},
		{"typedef int fn(int); int c; fn f = c;\nint main(void) { return 0; }", "f.c:1:29: this is not C"},
		{"int main(void) { return ''; }", "f.c:1:25: a constant without a character"},
		{"#include <stdatomic.h>\nint main(void) { &atomic_load((void *)0); return 0; }", "f.c:2:19: an expression without a value is used"},
		{"int main(void void) {\n\treturn 0;\n}", "f.c:2:2: cannot be parsed"},
		{"int main(void) { return 4++; }", "f.c:1:25: this is a value, and no place in memory: it cannot be counted up or down"},
		{"int main(void) { int n, *p = &n++; return 0; }", "f.c:1:31: this is a value, and no place in memory: it has no address"},
		{"int main(void) { const int a = 1; a = 2; return 0; }", "what is const cannot be assigned to"},
		{"int f(int a) { return a; } int main(void) { return f(1, 2); }", "f has 1 parameters and is called with 2 arguments"},
		{"int main(void) { switch (1) { case 1: case 1: ; } return 0; }", "a second case 1"},
		{"int main(void) { int n = 3; typedef int row[n]; row a; return 0; }", "not modelled: a type with a name for an array whose size varies"},
		{"int x;", "there is no function main"},
		{"#include <nothing.h>\nint main(void) { return 0; }", "there is no file"},
		{"struct s { int a; } x; int main(void) { return x.b; }", "has no member named b"},
		{"int count; int main(void) { return cuont; }", "cuont is not declared"},
		{"#error needs a compiler\nint main(void) { return 0; }", "#error"},
		{"\n*;", "f.c:2:1: what comes after this * is missing"},
		{"int main(void) { int * }", "f.c:1:22: what comes after this * is missing"},
		{"int main(void) { return 0; } typedef int ^ const;", "what comes after this ^ is missing"},
		{"#define STAR *\nint main(void) { int STAR }", "what comes after this * is missing, at the end of what is preprocessed"},
		{"int x; int main(void) { int * /* p) */ ; }", "what comes after this * is missing"},
		{"#if 1\nint main(void) {\n#endif\n", "is not closed, once it is preprocessed"},
		{"int main(void) { return " + strings.Repeat("!", 1<<16) + "1; }", "an expression of more than 32 KiB"},
		{"int main(void) { goto nowhere; }", "nowhere"},
		{"struct s { int a; struct s n; };\nint main(void) { struct s x = { 0 }; return x.a; }", "f.c:1:28: the member n has a type without a size"},
		{"typedef struct s s_t; struct s { int a; s_t *p, n[2]; };\nint main(void) { struct s x = { 0 }; return x.a; }", "f.c:1:49: the member n has a type without a size"},
		{"struct b; struct a { int q; struct b x; }; struct b { struct a y; };\nint main(void) { struct a x = { 0 }; return x.q; }", "f.c:1:38: the member x has a type without a size"},
		{"struct s { int a; struct { _Atomic(struct s) n; } u; };\nint main(void) { struct s x = { 0 }; return x.a; }", "the member n has a type without a size"},
		{"#define M struct s n\nstruct s { int a; M; };\nint main(void) { struct s x = { 0 }; return x.a; }", "the member n has a type without a size"},
		{"struct s { int a; struct s n } struct b b = { 0 };\nint main(void) { struct s x = { 0 }; return x.a; }", "the member n has a type without a size"},
		{"struct s { int a; const struct s; };\nint main(void) { struct s x = { 0 }; return x.a; }", "f.c:1:33: a member declares nothing"},
		{"struct s a[2] = { 1, 2 };\nint main(void) { return 0; }", "f.c:1:10: the elements of a have a type without a size"},
		{"struct s; int main(void) { return sizeof((struct s[2]){ 1 }); }", "f.c:1:50: the elements of an array have a type without a size"},
		{"struct s; int main(void) { for (union u a[2] = { 1 };;); }", "f.c:1:41: the elements of a have a type without a size"},
		{"typedef union s s_t; int b, *p, x[2] = { 1 };\ns_t *q, a[] = { 1, 2 };\nint main(void) { return 0; }", "f.c:2:9: the elements of a have a type without a size"},
		{"#include <pthread.h>\nvoid *f(void *a) { return a; }\nint main(void) { pthread_t t; return pthread_create(&t, 0, (void)f, 0); }", "f.c:3:60: an expression without a value is used"},
		{"#include <pthread.h>\nvoid *f(void *a) { return a; }\nint main(void) { pthread_t t; return pthread_create(&t, 1, f, 0); }", "f.c:3:57: the attributes of a thread are given by a pointer"},
		{"#include <threads.h>\nmtx_t m;\nint main(void) { mtx_init(&m, (void)mtx_plain); return 0; }", "f.c:3:31: an expression without a value is used"},
		{"int pthread_mutex_lock();\nint main(void) { pthread_mutex_lock(); return 0; }", "f.c:2:18: pthread_mutex_lock is called with 0 arguments in place of 1 or more"},
		{"int sem_trywait(); int main(void) { sem_trywait(); return 0; }", "sem_trywait is called with 0 arguments in place of 1"},
		{"int pthread_cond_wait(); int m; int main(void) { pthread_cond_wait(&m); return 0; }", "pthread_cond_wait is called with 1 arguments in place of 2 or more"},
		{"int scanf(); int fscanf(); int main(void) { fscanf(); return 0; }", "fscanf is called with 0 arguments in place of"},
		{"#include <string.h>\nstruct { int a; } s, t;\nint main(void) { memcpy(&t, s, sizeof s); return 0; }", "f.c:3:29: struct where void * is wanted"},
		{"#include <string.h>\nstruct { int a; } s;\nint main(void) { memset(s, 0, sizeof s); return 0; }", "f.c:3:25: struct where void * is wanted"},
	} {
		_, err := c.Parse(&program.Source{Name: "f.c", Text: tt.text}, c.Options{})
		var d *program.Diagnostic
		if !errors.As(err, &d) || !strings.Contains(d.Error(), tt.want) {
			t.Errorf("%.60s: got %v, want %s", tt.text, err, tt.want)
		}
	}
}
