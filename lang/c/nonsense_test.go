package c_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/fencepost-verifier/fencepost/lang/c"
)

var nonsenseCount = flag.Int("nonsense", 200, "how many programs TestNonsense reads")

// A babbler writes programs that hold together by their syntax, and hardly by their types.
type babbler struct{ *rand.Rand }

func (b babbler) one(of ...string) string { return of[b.IntN(len(of))] }

func (b babbler) typ(depth int) string {
	if depth > 0 && b.IntN(3) == 0 {
		t := b.typ(depth - 1)
		return b.one(t+" *", "__typeof__("+t+"[3])", "__typeof__("+t+" (*)(int))", "_Atomic("+t+")", "const "+t)
	}
	return b.one("int", "char", "unsigned", "long", "_Bool", "double", "float", "void", "struct t", "union u", "enum e", "short", "int *", "void *", "struct t *",
		"_Atomic int", "_Atomic(struct w)", "struct open", "struct open *", "const int", "volatile long", "__int128", "fn", "fn *", "arr", "unsigned char", "struct bf",
		"long double", "_Complex double", "__typeof__(f)", "__typeof__("+b.expr(1)+")")
}

func (b babbler) expr(depth int) string {
	if depth <= 0 || b.IntN(6) == 0 {
		return b.one("0", "1", "-1", "x", "p", "s", "ps", "a", "m", "un", "b.f", "b.g", "b", "f", "v()", "f(1)", "'c'", `"text"`, "1.5", "2.0f", "at", "aw", "fp", "e1", "l", "uc",
			"vp", "d", "s.a", "ps->n", "un.c", "m[1]", "m[1][2]", "y", "main", "((void *)0)", "1ull << 63", "wide", "unknown", "L'x'", `u8"a"`, "__func__", "sa", "sa[1].n", "&s",
			"bo", "1.0i", "none", "flex", "flex->t", "*flex", "op", "*op", "0x7fffffff", "4294967296")
	}
	e := func() string { return b.expr(depth - 1) }
	more := func(most int) string {
		list := e()
		for range b.IntN(most) {
			list += ", " + e()
		}
		return "(" + list + ")"
	}
	switch b.IntN(24) {
	case 0, 1, 2:
		return "(" + e() + b.one("+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^", "&&", "||", "==", "!=", "<", ">", "<=", ">=", ",") + " " + e() + ")"
	case 3:
		return "(" + e() + b.one("=", "+=", "-=", "*=", "/=", "%=", "<<=", ">>=", "&=", "|=", "^=") + e() + ")"
	case 4:
		return b.one("-", "+", "!", "~", "*", "&", "++", "--", "sizeof ", "_Alignof ", "__real__ ", "__imag__ ", "&&") + e()
	case 5:
		return e() + b.one("++", "--", ".a", "->a", ".n", "->n", ".f", ".unknown", "[0]", "[x]", "()", "(1)", "(s)", "->f", ".c", ".c[2]")
	case 6:
		return "(" + b.typ(1) + ")" + e()
	case 7:
		return "(" + e() + " ? " + e() + " : " + e() + ")"
	case 8:
		return "(" + e() + " ?: " + e() + ")"
	case 9:
		return e() + "[" + e() + "]"
	case 10:
		return e() + more(1)
	case 11:
		return "(" + b.typ(1) + "){" + e() + b.one("", ", "+e()) + "}"
	case 12:
		return "(" + b.typ(1) + "){." + b.one("a", "n", "c", "f", "unknown") + " = " + e() + "}"
	case 13:
		return "({ " + b.stmt(depth-1) + " " + e() + "; })"
	case 14:
		return "_Generic(" + e() + ", int: " + e() + ", " + b.typ(0) + ": " + e() + ", default: " + e() + ")"
	case 15:
		return "sizeof(" + b.typ(2) + ")"
	case 16:
		return "__builtin_offsetof(" + b.typ(0) + ", " + b.one("a", "n", "c", "f", "c[1]", "unknown", "s.a") + ")"
	case 17:
		return b.one("atomic_load", "atomic_store", "atomic_exchange") + more(2)
	case 18:
		return "__atomic_" + b.one("fetch_add", "exchange_n", "store_n", "load_n", "compare_exchange_n", "exchange", "load", "store", "add_fetch", "compare_exchange") +
			"(" + e() + ", " + e() + ", " + e() + b.one("", ", 0, 5, 5", ", 5") + ")"
	case 19:
		return "__builtin_" + b.one("expect", "choose_expr", "constant_p", "popcount", "add_overflow", "types_compatible_p", "unreachable", "trap", "clz", "memcpy", "object_size", "alloca") + more(3)
	case 20:
		return "__sync_" + b.one("fetch_and_add", "bool_compare_and_swap", "val_compare_and_swap", "lock_test_and_set", "synchronize", "lock_release") + more(3)
	case 21:
		return b.one("malloc", "free", "memset", "memcpy", "strlen", "printf", "pthread_create", "pthread_mutex_lock", "assert", "va_arg", "va_start", "offsetof", "pthread_join", "realloc",
			"qsort", "exit", "pthread_exit") + more(4)
	case 22:
		return "&" + e() + "[" + e() + "]"
	}
	return "(" + e() + ")"
}

func (b babbler) init(depth int) string {
	if depth <= 0 || b.IntN(2) == 0 {
		return b.expr(depth)
	}
	i := func() string { return b.init(depth - 1) }
	return b.one("{"+i()+"}", "{"+i()+", "+i()+", "+i()+"}", "{["+b.expr(0)+"] = "+i()+", "+i()+"}", "{."+b.one("a", "n", "c", "f", "unknown")+" = "+i()+", "+i()+"}", "{}")
}

func (b babbler) decl(depth int) string {
	init := ""
	if b.IntN(3) > 0 {
		init = " = " + b.init(depth)
	}
	return b.one("", "", "", "static ", "_Thread_local ", "register ", "extern ", "_Alignas(16) ", "const ", "inline ", "auto ") + b.typ(2) + fmt.Sprintf(" y%d", b.IntN(1000000)) +
		b.one("", "", "", "[]", "[2]", "["+b.expr(depth-1)+"]", "[2][3]", ":3", ":"+b.expr(0)) + init + ";"
}

func (b babbler) stmt(depth int) string {
	if depth <= 0 {
		return b.expr(1) + ";"
	}
	s := func() string { return b.stmt(depth - 1) }
	switch b.IntN(15) {
	case 0, 1, 2:
		return b.decl(depth)
	case 3:
		return "if (" + b.expr(depth) + ") " + s()
	case 4:
		return "while (" + b.expr(depth-1) + ") { " + s() + " break; }"
	case 5:
		return "switch (" + b.expr(depth-1) + ") { case " + b.expr(1) + ": " + s() + " default: " + s() + " case " + b.expr(0) + " ... " + b.expr(0) + ": ; }"
	case 6:
		return "for (" + b.decl(depth-1) + " " + b.expr(depth-1) + "; " + b.expr(depth-1) + ") { " + s() + " }"
	case 7:
		return "return " + b.expr(depth) + ";"
	case 8:
		return "goto *" + b.expr(depth-1) + ";"
	case 9:
		return "{ " + s() + " " + s() + " }"
	case 10:
		return `asm volatile("` + b.one("mfence", "", "lock; xaddl %0, %1", "xchg %0, %1", "mov %1, %0", "incl %0") + `" : "` + b.one("+m", "=r", "+r", "=a") + `"(` + b.expr(1) + `) : "` +
			b.one("r", "0", "m", "i") + `"(` + b.expr(1) + `) : "memory");`
	case 11:
		return "do { " + s() + " } while (" + b.expr(1) + ");"
	case 12:
		return "here: " + s() + " goto " + b.one("here", "there") + ";"
	}
	return b.expr(depth) + ";"
}

// TestNonsense reads programs of any expressions, types and declarations: each is a program that engines can rely on, or gets a message that is no mistake
// of ours, within a few seconds.
func TestNonsense(t *testing.T) {
	t.Parallel()
	const headers = `#include <assert.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
`
	const known = `enum e { e1, e2 = 7 }; struct open; struct w { short p, q; }; typedef int fn(int); typedef int arr[3];
struct t { int a; struct t *n; char c[3]; } s, *ps = &s, sa[2]; union u { int a; char c[4]; double n; } un; struct bf { unsigned f : 3; int g : 5; long long c : 40; } b;
int x, y, *p = &x, a[4], m[2][3], none[0]; _Atomic int at; _Atomic struct w aw; long l; unsigned char uc; void *vp; double d; __int128 wide; _Bool bo; struct { int a; char t[]; } *flex;
struct open *op; int f(int z) { return z; } void v(void) {} int (*fp)(int) = f; struct t g(struct t z) { return z; }
`
	accepted := 0
	for i := range *nonsenseCount {
		seed := *mutantSeed + uint64(i)
		b := babbler{rand.New(rand.NewPCG(seed, 3))}
		text := known
		if b.IntN(4) == 0 {
			text = headers + text
		}
		// A message ends the reading: most of the programs have one thing in them that may be wrong.
		if b.IntN(4) == 0 {
			text += b.decl(2) + "\n"
		}
		if b.IntN(8) == 0 {
			text += fmt.Sprintf("%s h(%s q, %s r) { %s %s }\n", b.typ(1), b.typ(1), b.typ(1), b.stmt(2), b.stmt(1))
		}
		text += "int main(void) {\n"
		text += b.stmt(b.IntN(4)) + "\n"
		text += "return 0; }\n"
		is, bad := reading("a.c", text, c.Options{Unroll: 2, Uninitialised: b.IntN(4) == 0, Races: b.IntN(4) == 0})
		if is {
			accepted++
		}
		if bad != "" {
			file := filepath.Join(os.TempDir(), fmt.Sprintf("nonsense%d.c", seed))
			os.WriteFile(file, []byte(text), 0o600)
			t.Errorf("seed %d, written to %s: %s", seed, file, bad)
		}
	}
	t.Logf("%d of %d are programs", accepted, *nonsenseCount)
}
