package c_test

import (
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/lang/c"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
)

// TestAssembly: what instructions of x86-64 do with the widths, the flags and the registers that they have, which
// volume 2 of Intel's manual says, and with operands, which GCC's says.
func TestAssembly(t *testing.T) {
	for _, x := range []struct{ name, body, want string }{
		{"the letter says how wide", `asm("incl %0" : "+m"(l)); assert(l == 0xf00000000);`, "SAFE"},
		{"the letter says how wide, in a register", `long r = -1; asm("incl %k0" : "+r"(r)); assert(r == 0);`, "SAFE"},
		{"the name of the operand says how wide", `long r = 0x1ff; asm("inc %b0" : "+q"(r)); assert(r == 0x100);`, "SAFE"},
		{"the name of the register says how wide", `long r = 0x1ffff; asm("inc %%ax" : "+a"(r)); assert(r == 0x10000);`, "SAFE"},
		{"32 bits clear the upper half", `long r = -1; asm("movl $7, %k0" : "+r"(r)); assert(r == 7);`, "SAFE"},
		{"16 bits leave the rest", `long r = -1; asm("movw $7, %w0" : "+r"(r)); assert(r == -0xfff9);`, "SAFE"},
		{"32 bits leave what is above in memory", `asm("movl $7, %0" : "+m"(l)); assert(l == 0xf00000007);`, "SAFE"},
		{"also in what others cannot see", `long v = -1; asm("movl $7, %0" : "+m"(v)); assert(v == (long)0xffffffff00000007);`, "SAFE"},
		{"a wide instruction for a narrow variable", `unsigned char b; asm("movl $0x107, %k0" : "=q"(b)); assert(b == 7);`, "SAFE"},
		{"where something begins", `long r; asm("movq %1, %0" : "=r"(r) : "m"(*(char *)&l)); assert(r == 0xfffffffff); asm("xchgq %0, %1" : "+r"(r), "+m"(*(char *)&p)); p = 0; r = 7; asm("lock xaddq %0, %1" : "+r"(r), "+m"(*(char *)&l)); assert(l == 0x1000000006);`, "SAFE"},
		{"where something begins that is too small", `long r = 1; asm("movq %1, %0" : "=m"(*(char *)&i) : "r"(r));`, "UNSAFE"},
		{"two widths in one instruction", `int r = 1; asm("addq %0, %k0" : "+r"(r));`, "operands of 64 and of 32 bits"},
		{"no width at all", `asm("inc %0" : "+m"(i));`, "does not say how many bits"},

		{"xadd sets flags", `int r = 1; bool z; i = -1; asm("lock xaddl %1, %0; setz %2" : "+m"(i), "+r"(r), "=q"(z)); assert(z && r == -1);`, "SAFE"},
		{"not those of before", `int r = 1; bool z; i = 1; asm("cmpl %1, %1; lock xaddl %1, %0; setz %2" : "+m"(i), "+r"(r), "=q"(z)); assert(!z);`, "SAFE"},
		{"xadd carries", `int r = 1; bool c; i = -1; asm("lock xaddl %1, %0; setc %2" : "+m"(i), "+r"(r), "=q"(c)); assert(c);`, "SAFE"},
		{"mov sets none", `int r = 5, z; asm("cmpl %0, %0; movl $9, %0" : "+r"(r), "=@ccz"(z)); assert(z && r == 9);`, "SAFE"},
		{"inc leaves the carry", `int r = -1, c; asm("addl $1, %0; incl %0" : "+r"(r), "=@ccc"(c)); assert(c && r == 1);`, "SAFE"},
		{"flags that nobody has set", `bool z; asm("setz %0" : "=q"(z));`, "nothing is known of the flag"},

		{"a register that nothing has set", `int r; asm("incl %0" : "=r"(r));`, "it reads what nothing has put into a register"},
		{"an output that nothing has set", `int r; asm("nop" : "=r"(r));`, "it reads what nothing has put into a register"},
		{"the upper half of one", `char b = 1; long r; asm("movq %q1, %0" : "=r"(r) : "r"(b));`, "it reads what nothing has put into a register"},
		{"the accumulator", `int r = 1; asm("lock cmpxchgl %1, %0" : "+m"(i) : "r"(r));`, "nothing has put anything into register a"},
		{"a register without an operand", `int r; asm("movl %%ecx, %0" : "=r"(r));`, "it reads what nothing has put into a register"},
		{"cleared by itself", `int r; asm("xorl %0, %0" : "=r"(r)); assert(r == 0);`, "SAFE"},
		{"an input that has changed", `int r = 1; asm("incl %0" :: "r"(r));`, "it changes a register that is no output"},
		{"an output written before an input is read", `int r, s = 1; asm("movl $0, %0; addl %1, %0" : "=r"(r) : "r"(s));`, "no & in its constraint"},
		{"and said to be", `int r, s = 1; asm("movl $2, %0; addl %1, %0" : "=&r"(r) : "r"(s)); assert(r == 3);`, "SAFE"},

		{"a prefetch is a hint", `int *n = 0; asm("prefetchw (%0); prefetcht0 8(%0)" :: "r"(n) : "memory"); asm volatile("prefetchnta %0" :: "m"(i)); assert(i == 0);`, "SAFE"},
		{"of what is in a register", `asm("prefetchw %0" :: "r"(i));`, "prefetchw"},
		{"locked", `asm("lock; prefetchw %0" :: "m"(i));`, "prefetchw"},

		{"registers of vectors", `int r; asm("nop" : "=x"(r));`, "the constraint \"=x\""},
		{"data put aside", `asm(".pushsection .smp_locks,\"a\"\n.balign 4\n.long 671f - .\n.popsection\n671:\n\tlock; incl %0 /* a comment */" : "+m"(i)); assert(i == 1);`, "SAFE"},
		{"code put aside", `asm(".pushsection .text\nincl %0\n.popsection" : "+m"(i));`, ".pushsection"},
		{"a loop", `int n = 3, s = 0; asm("1: addl %1, %0; decl %1; jnz 1b" : "+r"(s), "+r"(n)); assert(s == 6 && n == 0);`, "SAFE"},
		{"a loop over memory", `i = 3; asm("1: decl %0; jnz 1b" : "+m"(i)); assert(i == 0);`, "SAFE"},
		{"a jump ahead", `int r; asm("movl $1, %0; cmpl $5, %1; jge 1f; movl $2, %0; 1:" : "=&r"(r) : "r"(i)); assert(r == 2);`, "SAFE"},
		{"over the other way", `int r; asm("cmpl $0, %1; je .Lother%=; movl $1, %0; jmp .Lend%=; .Lother%=: movl $2, %0; .Lend%=:" : "=&r"(r) : "r"(i)); assert(r == 2);`, "SAFE"},
		{"labels of one number", `int r = 0; asm("1: incl %0; cmpl $2, %0; jl 1b; jmp 1f; movl $9, %0; 1: addl $10, %0" : "+r"(r)); assert(r == 12);`, "SAFE"},
		{"where ways meet a register may have nothing", `int r; asm("cmpl $0, %1; jne 1f; movl $1, %0; 1:" : "=&r"(r) : "r"(i));`, "it reads what nothing has put into a register"},
		{"where ways meet nothing is known of flags", `int r = 1; asm("cmpl $0, %1; jne 1f; incl %0; 1: je 2f; incl %0; 2:" : "+&r"(r) : "r"(i));`, "nothing is known of the flag"},
		{"an output that is written before an input is read in the next round", `int r = 3, s = 1; asm("1: subl %1, %0; jnz 1b" : "+r"(r) : "r"(s));`, "no & in its constraint"},
		{"and said to be", `int r = 3, s = 1; asm("1: subl %1, %0; jnz 1b" : "+&r"(r) : "r"(s)); assert(r == 0);`, "SAFE"},
		{"a part of a register that only one way clears", `unsigned long r = -1; asm("cmpl $0, %1; jne 1f; movl $7, %k0; 1:" : "+&r"(r) : "r"(i)); assert(r == 7);`, "SAFE"},
		{"a base of an address in a loop", `int v[2] = {2, 0}; asm("1: incl 4(%0); decl (%0); jnz 1b" :: "r"(v) : "memory", "cc"); assert(v[0] == 0 && v[1] == 2);`, "SAFE"},
		{"numbers with a sign", `int r = 0; i = -5; asm("cmpl $3, %1; jl 1f; incl %0; 1: cmpl $3, %1; jb 2f; addl $4, %0; 2:" : "+&r"(r) : "r"(i)); assert(r == 4);`, "SAFE"},
		{"which overflow", `unsigned char b = 0x80; bool l, o; asm("subb $1, %0; seto %1; setl %2" : "+q"(b), "=q"(o), "=q"(l)); assert(o && l && b == 0x7f);`, "SAFE"},
		{"a loop without an end", `asm volatile("1: pause; jmp 1b"); assert(0);`, "SAFE"},
		{"a jump to nowhere", `asm("decl %0; jnz 1b" : "+m"(i));`, "a jump to 1b, which is no label of the statement"},
		{"a jump by a register", `void *q = 0; asm("jmp *%0" :: "r"(q));`, "jmp *%0"},
		{"a condition that is none", `asm("1: decl %0; jp 1b" : "+m"(i));`, "the condition \"p\""},
		{"alternatives", `int r = 0; asm("incl %0" : "+r,m"(r));`, "the constraint \"+r,m\""},
		{"a letter that is none", `asm("addl %1, %0" : "+m"(i) : "?"(1));`, "the constraint \"?\""},
		{"an output that is a constant", `int r; asm("nop" : "=i"(r));`, "the constraint \"=i\""},

		{"a flag in a _Bool", `bool z; int r = 1; asm("decl %0; setz %1" : "+r"(r), "=q"(z)); assert(z == 1);`, "SAFE"},
		{"a number in a _Bool", `bool b = 1; asm("incb %0" : "+q"(b)); assert(b);`, "UNKNOWN"},
		{"in one in memory", `asm("incb %0" : "+m"(b)); asm("incb %0" : "+m"(b)); assert(b);`, "UNKNOWN"},
		{"in one that others see", `asm("lock; incb %0" : "+m"(b)); asm("lock; incb %0" : "+m"(b)); assert(b);`, "UNKNOWN"},
		{"a lock that is a _Bool", `unsigned char r = 1; asm("xchgb %0, %1" : "+q"(r), "+m"(b)); assert(b && !r);`, "SAFE"},
		{"that is neither", `unsigned char r = 2; asm("xchgb %0, %1" : "+q"(r), "+m"(b)); assert(b);`, "UNKNOWN"},

		{"where the old value goes, by a pointer", `int v = 0, *q = &v; bool z; i = 3; asm("lock cmpxchgl %3, %0; mov %%eax, %2; setz %1" : "+m"(i), "=a"(z), "=m"(*q) : "q"(5), "a"(4)); assert(!z && v == 3 && i == 3);`, "SAFE"},
		{"where the old value goes, by an address that the compared value may be", `void *v = 0, **q = &v; bool z; p = 0; asm("lock cmpxchgq %3, %0; mov %%rax, %2; setz %1" : "+m"(p), "=a"(z), "=m"(*q) : "q"(q), "a"(q));`, "UNKNOWN"},
		{"where the old value goes, by an index", `int v[4] = {0}, *q = v; bool z; unsigned k = nondet_uint(); if (k > 3) return 0; asm("lock cmpxchgl %3, %0; mov %%eax, %2; setz %1" : "+m"(i), "=a"(z), "=m"(q[k]) : "q"(5), "a"(k));`, "UNKNOWN"},
		{"the time", `unsigned a, d; asm volatile("rdtsc" : "=a"(a), "=d"(d)); assert(a != 7 || d < 8);`, "UNSAFE"},
		{"the time, where it is not put", `unsigned a; asm volatile("rdtsc" : "=a"(a));`, "it changes a register that is no output"},
		{"the time, where it is said to change", `unsigned a; asm volatile("rdtsc; movl %%edx, %0" : "=&r"(a) :: "rax", "rdx"); assert(a < 8);`, "UNSAFE"},
		{"the processor", `unsigned a = 0, b, c, d; asm volatile("cpuid" : "+a"(a), "=b"(b), "=c"(c), "=d"(d)); assert(b != 5);`, "UNSAFE"},
		{"cmpxchg without lock", `int r = 3; bool z; i = 3; asm("cmpxchgl %3, %0; setz %2" : "+m"(i), "+a"(r), "=q"(z) : "r"(5)); assert(z && i == 5 && r == 3);`, "SAFE"},
		{"cmpxchg without lock, of another value", `int r = 4; bool z; i = 3; asm("cmpxchgl %3, %0; setz %2" : "+m"(i), "+a"(r), "=q"(z) : "r"(5)); assert(!z && i == 3 && r == 3);`, "SAFE"},
		{"cmpxchg16b without lock", `static unsigned long w[2] __attribute__((aligned(16))); unsigned long a = 0, d = 0; bool z; asm("cmpxchg16b %0; setz %3" : "+m"(w), "+a"(a), "+d"(d), "=q"(z) : "b"(1L), "c"(2L)); assert(z && w[0] == 1 && w[1] == 2); asm("cmpxchg16b %0; setz %3" : "+m"(w), "+a"(a), "+d"(d), "=q"(z) : "b"(3L), "c"(3L)); assert(!z && w[0] == 1 && w[1] == 2 && a == 1 && d == 2);`, "SAFE"},
		{"cmpxchg of one's own, equal", `int v = 3, r = 3; bool z; asm("lock cmpxchgl %3, %0; setz %2" : "+m"(v), "+a"(r), "=q"(z) : "r"(5)); assert(z && v == 5 && r == 3);`, "SAFE"},
		{"cmpxchg of one's own, not equal", `int v = 4, r = 3; bool z; asm("lock cmpxchgl %3, %0; setz %2" : "+m"(v), "+a"(r), "=q"(z) : "r"(5)); assert(!z && v == 4 && r == 4);`, "SAFE"},
	} {
		t.Run(x.name, func(t *testing.T) {
			text := "#include <assert.h>\n#include <pthread.h>\n#include <stdbool.h>\nstatic int i; static long l = 0xfffffffff; static bool b; static void *p;\n" +
				"static void *other(void *arg) { return 0; }\n" +
				"int main(void) { pthread_t t; pthread_create(&t, 0, other, 0); " + x.body + " return 0; }\n"
			p, err := c.Parse(&program.Source{Name: "a.c", Text: text}, c.Options{})
			if err != nil {
				if strings.ToUpper(x.want) == x.want || !strings.Contains(err.Error(), x.want) {
					t.Errorf("%v, want %s", err, x.want)
				}
				return
			}
			if got := verdictOf(t, p, memory.TSO, "auto"); got != x.want {
				t.Errorf("%s, want %s", got, x.want)
			}
		})
	}
}

// TestFlagInBool: a flag is 0 or 1, which needs no check where it becomes a _Bool.
func TestFlagInBool(t *testing.T) {
	const text = "int x; int main(void) { _Bool z; __asm__ volatile(\"lock; decl %0; setz %1\" : \"+m\"(x), \"=q\"(z)); return z; }\n"
	p, err := c.Parse(&program.Source{Name: "a.c", Text: text}, c.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range p.Threads[0].Edges {
		if e.Cmd.Op == program.Assert {
			t.Error("there is an assertion: " + e.Cmd.Text)
		}
	}
}
