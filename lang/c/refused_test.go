package c_test

import (
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/lang/c"
	"github.com/fencepost-verifier/fencepost/program"
)

// TestRefused checks that what is not modelled is refused by its name, at its place.
func TestRefused(t *testing.T) {
	for _, x := range []struct{ text, want string }{
		{"float _Complex c;\nint main(void) { c = 1; return 0; }", "a.c:2:18: not modelled: the type _Complex"},
		{"int main(void) { double d = 1.5; return d > 1; }", "a.c:1:41: not modelled: floating point that decides of more than what is printed"},
		{"struct s { int n; int d[]; } x = { 2, { 1, 2 } };\nint main(void) { return x.n; }", "a.c:1:41: not modelled: a value for an array without elements, as a flexible array member is"},
		{"struct s { int n; int d[]; } x = { 2, 1 };\nint main(void) { return x.n; }", "a.c:1:39: not modelled: a value for an array without elements"},
		{"struct s { int n; char d[]; } x = { 2, \"a\" };\nint main(void) { return x.n; }", "a.c:1:40: not modelled: a value for an array without elements"},
		{"#include <setjmp.h>\njmp_buf j;\nint main(void) { return setjmp(j); }", "a.c:3:25: not modelled: setjmp"},
		{"#include <stdio.h>\nint main(void) { char b[9], *f = \"%d\"; return sprintf(b, f, 1); }", "not modelled: a format that is no literal"},
		{"#include <stdio.h>\nint main(void) { int x; return sscanf(\"12\", \"%d\", &x); }", "not modelled: what sscanf finds in a string"},
		{"#include <stdio.h>\nint main(void) { int n; printf(\"a%n\", &n); return n; }", "a.c:2:32: not modelled: the conversion %n"},
		{"#include <stdio.h>\nint main(void) { long n; fprintf(stderr, \"%d%%n%ln\", 1, &n); return n; }", "not modelled: the conversion %n"},
		{"#include <stdio.h>\nint main(void) { char b[9]; int n; snprintf(b, 9, \"%s%n\", \"a\", &n); return n; }", "not modelled: the conversion %n"},
		{"#include <stdio.h>\nint main(void) { char *f = \"a%n\"; int n; printf(f, &n); return n; }", "not modelled: a format that is no literal, with what %n may store to"},
		{"#include <stdarg.h>\n#include <stdio.h>\nvoid say(const char *f, ...) { va_list l; va_start(l, f); vprintf(f, l); va_end(l); }\nint main(void) { int n; say(\"a%n\", &n); return n; }", "not modelled: the conversion %n"},
		{"int main(void) { __asm__ volatile(\"rdtsc\"); }", `not modelled: the assembly "rdtsc"`},
		{"typedef int ti __attribute__((mode(TI)));\nint main(void) { return sizeof(ti); }", "a.c:1:31: not modelled: the attribute mode"},
		{"int v __attribute__((vector_size(16)));\nint main(void) { return 0; }", "a.c:1:22: not modelled: the attribute vector_size"},
		{"int main(void) { int x; __asm__(\"\" : \"=r\"(x)); return x; }", "not modelled: assembly whose output is nothing that is known"},
		{"#include <pthread.h>\nstruct s { int a, b; } x;\nvoid *f(void *);\nint main(void) { pthread_t t; return pthread_create(&t, 0, f, x); }", "a.c:4:63: struct s where void * is wanted"},
		{"int main(void) { int a[2]; __CPROVER_ASYNC_1: if (a[1]) a[0]++; }", "a.c:1:47: not modelled: a copy of a, which is an array, a structure or has an address, after __CPROVER_ASYNC_1"},
		{"int main(void) { goto a; a: ;\na: return 0; }", "a.c:2:1: the label a is there twice in one function"},
		{"#include <stdio.h>\nint remove(int *);\nint main(void) { int x; return remove(&x); }", "a.c:2:5: conflicting types for 'remove'"},
		{"int main(void) { __CPROVER_ASYNC_1: { return 1; } }", "a.c:1:39: not modelled: a way out of the statement after __CPROVER_ASYNC_1"},
		{"int main(void) { int n = 3; struct { int k; char a[n]; } *p; return sizeof(*p); }", "not modelled: an array whose size varies"},
		{"int f(void) { return 1; }\nint main(void) { int x[2] = { [0] = f(), [0] = 5 }; return x[0]; }", "a.c:2:37: not modelled: effects in an initialiser that another one overrides"},
		{"int f(void) { return 1; }\nint main(void) { union { int a, b; } x = { .a = f(), .b = 5 }; return x.a; }", "not modelled: effects in an initialiser that another one overrides"},
		{"int f(void) { return 1; }\nint main(void) { struct { int a; } x[2] = { [0 ... 1] = { f() } }; return x[0].a; }", "not modelled: effects in what initialises a range of elements that are no scalars"},
		{"enum e : signed char { A };\nint main(void) { return sizeof(enum e); }", "a.c:1:8: not modelled: an enumeration with a type of its own"},
		{"int f(void) { return 1; }\nint g = f();\nint main(void) { return g; }", "a.c:2:9: this is not a constant"},
		{"#include <time.h>\nint main(void) { time_t t = 0; struct tm *d = gmtime(&t); return d->tm_year - 70; }", "a.c:2:47: not modelled: a date that decides of more than what is printed"},
		{"#include <time.h>\nint main(void) { time_t t = 0; char b[9]; strftime(b, 9, \"%H\", gmtime(&t)); return b[0]; }", "not modelled: a date in words that are more than printed"},
		{"#include <stdio.h>\n#include <string.h>\n#include <time.h>\nint main(void) { time_t t = 0; char *s = ctime(&t); return s[0]; }", "not modelled: a date that decides of more than what is printed"},
		{"#include <stdio.h>\n#include <string.h>\n#include <time.h>\nint main(void) { time_t t = 0; char s[26]; ctime_r(&t, s); return s[0]; }", "not modelled: a date that decides of more than what is printed"},
		{"#include <stdio.h>\n#include <string.h>\n#include <time.h>\nint main(void) { time_t t = 0; return strcmp(ctime(&t), \"x\"); }", "not modelled: a date that decides of more than what is printed"},
		{"#include <stdio.h>\n#include <string.h>\n#include <time.h>\nint main(void) { time_t t = 0; char s[60]; sprintf(s, \"%s\", ctime(&t)); return s[0]; }", "not modelled: a date that decides of more than what is printed"},
		{"#include <stdio.h>\n#include <string.h>\n#include <time.h>\nint main(void) { time_t t = 0; struct tm a, b; gmtime_r(&t, &a); b = a; return memcmp(&a, &b, sizeof a); }", "not modelled: a date that decides of more than what is printed"},
		{"#include <stdio.h>\n#include <string.h>\n#include <time.h>\nint main(void) { time_t t = 0; struct tm a, b; gmtime_r(&t, &a); return *(int *)&a; }", "not modelled: a date that decides of more than what is printed"},
		{"#include <stdio.h>\n#include <string.h>\n#include <time.h>\nint main(void) { time_t t = 0; struct tm a, b; gmtime_r(&t, &a); int k[20]; memcpy(k, &a, sizeof a); return k[0]; }", "not modelled: a date that decides of more than what is printed"},
		{"#include <stdio.h>\n#include <string.h>\n#include <time.h>\nint main(void) { time_t t = 0; struct tm a, b; gmtime_r(&t, &a); void *p = &a; int *q = p; return *q; }", "not modelled: a date that decides of more than what is printed"},
		{"#include <stdio.h>\n#include <string.h>\n#include <time.h>\nint main(void) { time_t t = 0; struct tm a, b; gmtime_r(&t, &a); char s[20]; sprintf(s, \"%d\", a.tm_sec); return s[0]; }", "not modelled: a date that decides of more than what is printed"},
		{"#include <stdio.h>\n#include <string.h>\n#include <time.h>\nint main(void) { time_t t = 0; struct tm a, b; gmtime_r(&t, &a); char s[20]; return sprintf(s, \"%d\", a.tm_sec); }", "not modelled: a date that decides of more than what is printed"},
		{"#include <stdio.h>\n#include <string.h>\n#include <time.h>\nint main(void) { time_t t = 0; struct tm a, b; gmtime_r(&t, &a); int k = 0; printf(\"%d\", k = a.tm_sec); return k; }", "not modelled: a date that decides of more than what is printed"},
		{"#include <stdio.h>\n#include <string.h>\n#include <time.h>\nunion u { struct tm d; int k[14]; };\nint main(void) { time_t t = 0; union u a; gmtime_r(&t, &a.d); return a.k[0]; }", "not modelled: a date in a union"},
		{"#include <stdio.h>\n#include <string.h>\n#include <time.h>\nint main(void) { time_t t = 0; struct tm a, b; gmtime_r(&t, &a); char s[40], c[60]; strftime(s, sizeof s, \"%A\", &a); sprintf(c, \"%s\", s); return c[0]; }", "not modelled: a date in words that are more than printed"},
		{"#include <stdio.h>\n#include <string.h>\n#include <time.h>\nint main(void) { time_t t = 0; struct tm a, b; gmtime_r(&t, &a); char s[40]; return strftime(s, sizeof s, \"%A\", &a); }", "not modelled: the length of a date in words"},
		{"#include <time.h>\nint main(void) { struct tm d = { 1 }; return mktime(&d) == 0; }", "not modelled: the time of a date"},
		{"int a, b, c = &a < &b;\nint main(void) { return c; }", "a.c:1:15: this is not a constant"},
		{"int c = 4, d = c;\nint main(void) { return d; }", "a.c:1:16: this is not a constant"},
		{"const volatile int c = 4;\nint d = c;\nint main(void) { return d; }", "a.c:2:9: this is not a constant"},
		{"const volatile int c = 4;\nint a[c];\nint main(void) { return a[0]; }", "a.c:2:5: not modelled: an array whose size varies"},
		{"#include <signal.h>\nint main(void) { return raise(SIGTERM); }", "a.c:2:25: not modelled: a signal other than SIGABRT that is raised"},
		{"#include <unistd.h>\nint main(void) { return syscall(60); }", "a.c:2:25: not modelled: a system call other than futex"},
		{"#include <unistd.h>\n#include <sys/syscall.h>\nint w; int main(void) { return syscall(SYS_futex, &w, 3, 1, 1, &w, 0); }", "a.c:3:32: not modelled: this operation on futexes"},
		{"int main(void) { return f(); }", "a.c:1:25: f is not declared"},
		{"#pragma scalar_storage_order big-endian\nint main(void) { return 0; }", "a.c:1:9: not modelled: the pragma scalar_storage_order"},
		{"struct __attribute__((scalar_storage_order(\"big-endian\"))) s { int a; } x;\nint main(void) { return x.a; }", "a.c:1:23: not modelled: the attribute scalar_storage_order"},
		{"struct s { char a : 3; int b : 3; } __attribute__((__ms_struct__)) x;\nint main(void) { return x.a; }", "a.c:1:52: not modelled: the attribute __ms_struct__"},
		{"int x;\nint main(void) {\n#pragma omp parallel for\n\tfor (int i = 0; i < 3; i++) x++;\n}", "a.c:3:9: not modelled: OpenMP"},
		{"struct s { int a[4]; } a[1 << 14];\nint main(void) { return 0; }", "an array of 16384 elements of 16 bytes: objects have up to 65536 bytes"},
		{"int main(void) {\n\tuint32_t x = 3;\n}", "a.c:2:2: there is no type uint32_t\n  \tuint32_t x = 3;\n  \t^\n  #include <stdint.h> declares it"},
		{"static\nsigjmp_buf b;\nint main(void) { return 0; }", "a.c:2:1: there is no type sigjmp_buf\n  sigjmp_buf b;\n  ^\n  #include <setjmp.h> declares it"},
		{"#include <stdio.h>\nint main(void) {\n\tDIR *d = 0;\n}", "a.c:3:2: there is no type DIR\n  \tDIR *d = 0;\n  \t^\n  #include <dirent.h> declares it"},
		{"#include <pthread.h>\nint main(void) { pthread_rwlockattr_t a; return pthread_rwlockattr_setkind_np(&a, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP); }", "not modelled: a read-write lock that lets writers go first"},
		{"#include <stdlib.h>\nint main(void) { setenv(\"A\", \"b\", 1); return !getenv(\"A\"); }", "a.c:2:18: not modelled: an environment that changes, and is asked for"},
		{"#include <signal.h>\nint main(void) { return kill(3, SIGTERM); }", "a.c:2:25: not modelled: a signal for a process"},
		{"int f(int a, thing *b) { return a; }\nint main(void) { return 0; }", "a.c:1:14: there is no type thing"},
		{"#include <pthread.h>\nint main(void) { pthred_t t; return 0; }", "a.c:2:18: there is no type pthred_t\n  int main(void) { pthred_t t; return 0; }\n                   ^\n  did you mean pthread_t?"},
		{"typedef struct node { int x; } node;\nint main(void) { node n, *p = (nod *)&n; return 0; }", "a.c:2:32: there is no type nod\n  int main(void) { node n, *p = (nod *)&n; return 0; }\n                                 ^\n  did you mean node?"},
		{"double x = 1e400;\nint main(void) { return 0; }", "a.c:1:12: not modelled: a number that no double can hold\n  double x = 1e400;\n             ^\n  write INFINITY, of math.h"},
		{"double x = 2 * 0x1p2000;\nint main(void) { return 0; }", "a.c:1:16: not modelled: a number that no double can hold\n  double x = 2 * 0x1p2000;\n                 ^\n  write INFINITY, of math.h"},
		{"int main(void) { return 'ab'; }", "a.c:1:25: not modelled: a constant of several characters\n  int main(void) { return 'ab'; }\n                          ^\n  write 0x6162, which is what compilers make of it"},
		{"struct s { int a; struct s ;n; };\nint main(void) { struct s x = {1}; return x.a; }", "a.c:1:28: a member declares nothing"},
		{"int y = 2;\nextern int x __asm__(\"y\");\nint main(void) { return x; }", "a.c:2:12: not modelled: this name in assembly"},
		{"#include <assert.h>\nstruct s { unsigned a : 24; char b; static_assert(1); };\nint main(void) { { static_assert(sizeof(struct s) == 8, \"no\"); } return 0; }", "a.c:3:20: the static assertion does not hold"},
		{"int main(void) { return EINTR; }", "#include <errno.h> declares it"},
		{"int conter;\nint main(void) { return counter; }", "a.c:2:25: counter is not declared\n  int main(void) { return counter; }\n                          ^\n  did you mean conter?"},
		{"int main(void) { return toupper(3); }", "#include <ctype.h> declares it"},
		{"#include <stdatomic.h>\natomic_int x; int main(void) { atomic_stor(&x, 1); return 0; }", "did you mean atomic_store?"},
		{"static int get(void) { return 1; } int main(void) { return gte(); }", "did you mean get?"},
		{"#include <stdio.h>\nint main(void) { char b[3]; return scanf(\"%2c\", b); }", "not modelled: reading char"},
		{"#include <sys/time.h>\nint main(void) { struct itimerval v = {0}, w; return setitimer(0, &v, &w); }", "a.c:2:71: not modelled: what is left of a timer"},
		{"#include <pthread.h>\nint main(void) { pthread_attr_t a; int s; pthread_attr_setscope(&a, 0); pthread_attr_getscope(&a, &s); return s; }", "a.c:2:73: not modelled: asking for an attribute that the program sets"},
		{"int main(void) { __label__ out; void f(void) { goto out; } f(); out: return 0; }", "a.c:1:48: not modelled: a jump out of a function inside a function"},
		{"int main(void) { auto int f(void); int x = f(); int f(void) { return 1; } return x; }", "a.c:1:27: not modelled: a declaration of a function inside a function before it"},
		{"int main(void) { int n = 3, a[n]; int f(void) { return a[0]; } return f(); }", "a.c:1:56: not modelled: a, of the function around, in a function inside it"},
		{"int (*volatile g)(void); int main(void) { int f(void) { return 0; } for (int i = 0; i < 2; i++) { if (g) g(); g = f; } }", "a.c:1:115: not modelled: a pointer to a function inside a function that may come to a call before it"},
		{"#include <sys/mman.h>\nint main(void) { return !mmap(0, 8, PROT_READ, MAP_SHARED, 3, 0); }", "a.c:2:26: not modelled: mmap of a file"},
		{"#include <sys/mman.h>\nint main(void) { return !mmap(0, 8, PROT_NONE, MAP_SHARED | MAP_ANON, -1, 0); }", "a.c:2:26: not modelled: mmap of memory that is not to be read and written"},
		{"#include <sys/mman.h>\nint x[2]; int main(void) { return !mmap(x, 8, 3, MAP_FIXED | MAP_SHARED | MAP_ANON, -1, 0); }", "a.c:2:36: not modelled: mmap at a place that the program says"},
		{"#include <sys/mman.h>\nint x[2]; int main(void) { return mprotect(x, 8, 1); }", "a.c:2:35: not modelled: the function mprotect"},
		{"static __typeof__(_Atomic int) x;\nint main(void) { return x; }", "a.c:1:8: not modelled: typeof of a type that begins with const, volatile or _Atomic"},
		{"int j;\nint main(void) { return j ?: 2 ?: j; }", "a.c:2:32: not modelled: ?: behind a constant"},
		{"enum __attribute__((packed)) e { A } x;\nint main(void) { return x; }", "a.c:1:1: not modelled: an attribute between enum and its name, which may stand behind its }"},
		{"static __typeof__(int *) p;\nint main(void) { return p.x; }", "a.c:2:26: "},
		{"#include <pthread.h>\nvoid *f(void *a) { return 0; }\nint main(void) { pthread_t t; int old;\npthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &old);\npthread_create(&t, 0, f, 0); return pthread_cancel(t); }", "a.c:4:1: not modelled: cancellation at any moment"},
		{"#include <pthread.h>\nint main(void) { pthread_mutexattr_t a; return pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST); }", "not modelled: a robust mutex"},
		{"int b;\nextern int a __attribute__((alias(\"b\")));\nint main(void) { return a; }", "a.c:2:12: not modelled: this attribute alias"},
		{"static int f(void) __attribute__((weakref(\"g\")));\nint main(void) { return f(); }", "a.c:1:12: not modelled: the attribute weakref"},
		{"int main(void) { return u'x'; }", "a.c:1:25: not modelled: a literal with the prefix u"},
		{"int main(void) {\n/* u\"x\" */ return sizeof(\"u'\") + sizeof(U\"x\"); }", "a.c:2:41: not modelled: a literal with the prefix U"},
		{"int main(void) { int n = 1; return sizeof(int[n++]); }", "not modelled: a size with an effect"},
		{"int main(void) { int w[] = L\"x\"; return w[0]; }", "a.c:1:28: not modelled: a wide string"},
		{"#include <signal.h>\nvoid h(int s) { raise(SIGUSR1); }\nint main(void) { signal(SIGUSR1, h); return raise(SIGUSR1); }", "a.c:2:17: not modelled: a signal that is raised in the function for a signal"},
		{"#include <signal.h>\nvoid h(int s) {}\nint main(int c, char **v) { signal(SIGUSR1, h); return raise(c); }", "a.c:3:56: not modelled: a signal that is computed"},
		{"#include <signal.h>\nvoid h(int s) {}\nint main(void) { sigset_t s; sigfillset(&s); sigprocmask(SIG_BLOCK, &s, 0); signal(SIGUSR1, h); return raise(SIGUSR1); }", "not modelled: a signal that may be blocked"},
		{"int main(void) { int a b; }", "unexpected identifier: expected ';'"},
	} {
		_, err := c.Parse(&program.Source{Name: "a.c", Text: x.text}, c.Options{})
		if err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%s\ngives %v\nwant %s", x.text, err, x.want)
		}
	}
}

// TestRefusedUninitialised checks what is refused where reads of what is not initialised are looked for: what tells of 64 bits has no room
// for the last of them.
func TestRefusedUninitialised(t *testing.T) {
	const want = "not modelled: reads of what is not initialised, where a bit-field begins or ends before the last of 64 bits"
	for _, text := range []string{
		"int main(void) { struct { unsigned long a : 63, b : 1; } x; x.b = 1; return x.b; }",
		"int main(void) { union { struct { unsigned long a : 63; } s; unsigned long w; } x; x.s.a = 1; return x.w > 5; }",
	} {
		if _, err := c.Parse(&program.Source{Name: "a.c", Text: text}, c.Options{Uninitialised: true}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}
