package randc

import (
	"fmt"
	"strings"
)

// gnuConditional is x ?: y, whose x is evaluated once.
func gnuConditional(g *gen, name string) {
	g.begin(name)
	g.line("%s x = %s; %s y = %s; int n = 0;", g.write(g.typ()), g.val(), g.write(g.typ()), g.val())
	for range 3 {
		k := g.id("")
		switch g.rng.IntN(5) {
		case 0:
			g.out("x ?: y")
		case 1:
			g.out("(n++, (x & 1)) ?: %s", g.val())
		case 2:
			g.out("sizeof((x ?: y))")
		case 3:
			g.line("int *p%s = x > y ? &n : 0;", k)
			g.line("p%s = p%s ?: &(int){ 5 };", k, k)
			g.out("*p%s", k)
		default:
			g.out("n++ ?: ++n ?: 3")
		}
	}
	g.out("n")
	g.end()
}

// compoundLiterals has (type){ ... }.
func compoundLiterals(g *gen, name string) {
	tag, members := g.layout(false)
	f, t := g.prefix+g.id("f"), g.plain()
	g.line("static u64 %s(const %s *a, int n) { u64 h = 0; while (n--) h = h * 31 + (u64)a[n]; return h; }", f, g.write(t))
	g.line("static %s *%sp = (%s[]){ %s, %s, 3 };", g.write(t), f, g.write(t), g.constant(1).s, g.constant(1).s)
	g.begin(name)
	g.out("%s((%s[]){ %s, %s, %s }, 3)", f, g.write(t), g.val(), g.val(), g.val())
	g.out("%s((%s[4]){ %s, [2] = %s }, 4)", f, g.write(t), g.val(), g.val())
	g.out("%s(%sp, 3)", f, f)
	g.out("(int[]){ 4, 5, 6, 7 }[%s]", g.small(4))
	g.out("sizeof((%s[]){ 1, 2, 3 })", g.write(t))
	g.line("%s *s = &(%s){ 0 };", tag, tag)
	g.fill("s->", members)
	g.line("if (%s) *s = (%s){ .%s = %s };", g.val(), tag, members[0].name, g.initial(members[0], func(*typ) string { return g.val() }))
	g.show("s->", members)
	g.line("u64 h = 0;")
	g.line("for (int i = 0; i < 3; i++) { int *p = &(int){ i * 2 }; *p += i; h = h * 31 + (u64)*p; }")
	g.out("h")
	g.out("(%s){ %s }", g.write(t), g.val())
	g.end()
}

// designated is initialisers that name what they are for.
func designated(g *gen, name string) {
	typ := "struct " + g.prefix + g.id("s")
	t, u := g.plain(), g.plain()
	g.line("%s { %s a; struct { %s b[4]; union { int i; unsigned char c; }; } in[2]; %s z; };", typ, g.write(t), g.write(u), g.write(t))
	storage := pick(g, []string{"", "static "})
	v := func() string {
		if storage != "" {
			return g.constant(2).s
		}
		return g.val()
	}
	initials := []func() string{
		func() string {
			return fmt.Sprintf(".z = %s, .in[1].b[2] = %s, .in[0] = { { %s, %s }, .c = 7 }", v(), v(), v(), v())
		},
		func() string {
			return fmt.Sprintf("%s, { { { %s, %s, %s, %s }, { 5 } } }, %s", v(), v(), v(), v(), v(), v())
		},
		func() string {
			return fmt.Sprintf("%s, %s, %s, .in[1] = { .b = { [1] = %s, %s }, .i = %s }, %s", v(), v(), v(), v(), v(), v(), v())
		},
		func() string { return fmt.Sprintf(".in = { [1].b[0 ... 2] = %s, [0].i = %s }, .a = %s", v(), v(), v()) },
		func() string {
			return fmt.Sprintf(".in[0].b = { %s }, .in[0].b[1] = %s, .a = 1, .a = %s", v(), v(), v())
		},
	}
	g.begin(name)
	g.line("%s%s x = { %s };", storage, typ, pick(g, initials)())
	for _, m := range []string{"a", "in[0].b[0]", "in[0].b[1]", "in[0].b[2]", "in[0].b[3]", "in[0].i", "in[1].b[0]", "in[1].b[1]", "in[1].b[2]", "in[1].b[3]", "in[1].i", "in[1].c", "z"} {
		g.out("x.%s", m)
	}
	g.line("%s%s a[] = { [2] = %s, %s, [0] = %s, %s, [5 ... 6] = %s };", storage, g.write(t), v(), v(), v(), v(), v())
	g.out("sizeof a / sizeof *a")
	g.digest("a", "sizeof a / sizeof *a")
	g.line("%sint m[][3] = { { %s }, { 1, 2, %s }, [3] = { [1] = 4 }, %s };", storage, v(), v(), v())
	g.out("sizeof m")
	for i := range 5 {
		g.out("m[%d][%d]", i, g.rng.IntN(3))
	}
	row, col := g.rng.IntN(3), g.rng.IntN(3)
	g.line("%sint d[][3] = { %s[%d][%d] = %s%s };", storage, pick(g, []string{"", "[1] = { 2 }, ", "3, "}), row, col, v(), pick(g, []string{"", ", 5", ", 5, 6, 7", ", [0] = { 1 }"}))
	g.out("sizeof d")
	g.digest("d[0]", "3")
	g.digest("d[sizeof d / sizeof *d - 1]", "3")
	g.line("%sstruct { int p[2]; int q; } w[] = { [%d].%s = %s, 4, [0].q = 5 };", storage, g.rng.IntN(3), pick(g, []string{"q", "p[1]", "p[0]"}), v())
	g.out("sizeof w")
	g.digest("w[sizeof w / sizeof *w - 1].p", "2")
	g.end()
}

// functionPointers is functions that are chosen when the program runs.
func functionPointers(g *gen, name string) {
	f := g.prefix + g.id("f")
	t := g.plain()
	g.line("typedef %s %st(%s, int);", g.write(t), f, g.write(t))
	for i, op := range []string{"x + k", "x * k", "x ^ k", "k - x"} {
		g.line("static %s %s%d(%s x, int k) { return %s; }", t, f, i, t, op)
	}
	g.line("static %s %sapply(%st *op, %s x, int n) { while (n-- > 0) x = op(x, n); return x; }", t, f, f, t)
	g.line("static %st *%spick(int k) { return k & 1 ? %s0 : &%s1; }", f, f, f, f)
	g.line("struct %ss { %s (*op)(%s, int); int k; };", f, t, t)
	g.begin(name)
	g.line("static %st *const table[] = { %s0, %s1, &%s2, [3] = %s3 };", f, f, f, f, f)
	g.out("table[%s](%s, %s)", g.small(4), g.val(), g.val())
	g.out("(*table[%s])(%s, %s)", g.small(4), g.val(), g.val())
	g.out("%sapply(table[%s], %s, %s)", f, g.small(4), g.val(), g.small(5))
	g.out("%spick(%s)(%s, %s)", f, g.val(), g.val(), g.val())
	g.line("struct %ss s[2] = { { %s2, %s }, { .k = %s, .op = %s3 } };", f, f, g.val(), g.val(), f)
	g.line("struct %ss *q = &s[%s];", f, g.small(2))
	g.out("q->op(%s, q->k)", g.val())
	g.out("q->op == %s2", f)
	g.out("(%s ? s[0].op : s[1].op)(3, %s)", g.val(), g.val())
	g.line("%s (*again)(%s, int) = 0;", t, t)
	g.line("if (%s) again = *%s1;", g.val(), f)
	g.out("again ? again(%s, 3) : 77", g.val())
	g.end()
}

// ranges is a switch whose cases are ranges.
func ranges(g *gen, name string) {
	t := g.typ()
	f := g.prefix + g.id("f")
	g.line("static int %s(%s x) {", f, g.write(t))
	g.line("\tint r = 0;\n\tswitch (x%s) {", pick(g, []string{"", "", " + 1", " & 255", " - 3"}))
	at := -g.rng.IntN(20)
	for i := range 2 + g.rng.IntN(4) {
		lo := at + g.rng.IntN(5)
		hi := lo + g.rng.IntN(30)
		at = hi + 1
		g.line("\tcase %d ... %d: r += %d;%s", lo, hi, i+1, pick(g, []string{" break;", " break;", "", " return r * 2;"}))
	}
	g.line("\tcase %d: r += 50;", at+g.rng.IntN(5))
	if g.p(70) {
		g.line("\tdefault: r += 9;")
	}
	g.line("\t}\n\treturn r;\n}")
	g.begin(name)
	for range 3 {
		g.out("%s(%s)", f, pick(g, []string{g.val(), fmt.Sprintf("%s - 10", g.small(70))}))
	}
	g.line("u64 h = 0; for (int i = -20; i < 60; i += 7) h = h * 31 + (u64)%s(i);", f)
	g.out("h")
	g.end()
}

// statementExpressions is blocks that have a value.
func statementExpressions(g *gen, name string) {
	g.begin(name)
	t := g.plain()
	g.line("int n = 0;")
	g.out("({ %s x = %s; x += n++; x; })", g.write(t), g.val())
	g.out("({ int s = 0; for (int i = 0; i < %d; i++) { if (i == 2) continue; s += i * %s; } s; })", 3+g.rng.IntN(4), g.val())
	g.out("sizeof(({ char c = 1; c; }))")
	g.out("({ __typeof__(%s) a = %s, b = n; a > b ? a : b; })", g.val(), g.val())
	g.out("({ struct { int a; %s b; } s = { n, %s }; s; }).b", g.write(t), g.val())
	g.out("({ int x = %s; ({ int y = x; y * 2; }) + x; })", g.val())
	g.out("7 + (%s ? ({ n = 5; n; }) : ({ n += 2; n * 3; }))", g.val())
	g.out("%s && ({ n++; n & 1; })", g.val())
	g.line("while (({ n++; n < 12; })) if (n == %d) break;", g.rng.IntN(12))
	g.out("n")
	g.end()
}

// generic is _Generic.
func generic(g *gen, name string) {
	g.begin(name)
	list := "_Bool: 1, char: 2, signed char: 3, unsigned char: 4, short: 5, unsigned short: 6, int: 7, unsigned: 8, long: 9, unsigned long: 10, long long: 11, unsigned long long: 12"
	more := "int *: 20, const int *: 21, char *: 22, const char *: 23, void *: 24, int (*)[3]: 25, int (*)(int): 26, struct { int a; } *: 27"
	g.line("%s x = 1; const %s c = 2; int a[3] = { 0 }; const int *p = a; struct { unsigned char b : 3; int l : 20; unsigned u : 31; } s = { 0 };", g.write(g.typ()), g.write(g.typ()))
	for range 5 {
		e := pick(g, []string{"x", "c", "x + c", "+x", "-c", "x << 1", "x == c", "!x", "~c", "x ? x : c", "(x, c)", "x++", "x = 3", "x += c", "sizeof x", "'a'", "1 ? 1 : 2u", "1L + 1u", "0x80000000", "2147483648", "+s.b", "s.u + 1", "s.l + 1", "a - p", "&a[1] - &a[0]", "(short)1", "(char)1 + (char)1", "c << 1L"})
		g.out("_Generic((%s), %s, default: 0)", e, list)
		g.out("_Generic((%s), %s, default: 0)", pick(g, []string{"a", "p", "&a", "\"text\"", "(void *)0", "&a[0]", "0", "1 ? a : p", "&x", "1 ? (void *)a : a", "(char *)p", "(const char *)p", "1 ? 0 : a"}), more)
	}
	g.out("_Generic(%s, int: %s, default: %s)", "a[0]", g.val(), g.val())
	g.end()
}

// sizes is sizeof, _Alignof and typeof of types and expressions.
func sizes(g *gen, name string) {
	typ, members := g.layout(false)
	g.begin(name)
	g.line("int n = 2 + %s; %s vla[n]; %s x; %s *p = &x; char s[] = %s;", g.small(4), g.write(g.plain()), typ, typ, g.text(6))
	g.line("vla[0] = 1; memset(&x, 0, sizeof x);")
	m := pick(g, members)
	for range 4 {
		g.out("sizeof %s", pick(g, []string{"vla", "vla[0]", "x", "*p", "p", "s", "p->" + m.name, "x." + m.name, "(int[3])", "(char)", "\"abc\"", "'a'", "(n++)", "(p + 1)", "(" + typ + "[2])", "(int (*)[4])", "(s[0] + s[0])", "(_Bool)", "(int[n])", "(&s)", "(*&s)", "\"\\0\\0\""}))
		g.out("_Alignof(%s)", pick(g, []string{"int", "long", typ, "char", "short[3]", "void *", "long long", typ + "[2]"}))
	}
	g.out("n")
	g.out("(char *)(p + 1) - (char *)p")
	g.out("offsetof(%s, %s)", typ, m.name)
	g.line("__typeof__(x.%s) %s = %s;", m.name, "q", map[bool]string{true: "{ 3 }", false: "3"}[m.len > 0])
	g.out("sizeof q")
	g.line("__typeof__(%s) r = %s; __auto_type w = r;", g.val(), g.val())
	g.out("w")
	g.out("sizeof w")
	g.end()
}

// conversions is chains of conversions and shifts through all widths.
func conversions(g *gen, name string) {
	g.begin(name)
	for i := range 2 {
		g.line("%s x%d = %s;", g.write(g.typ()), i, g.val())
		g.line("%s y%d = %s;", g.write(g.typ()), i, g.val())
	}
	v := func() string { return pick(g, []string{"x0", "x1", "y0", "y1"}) }
	for range 6 {
		t, u := g.write(g.typ()), g.write(g.plain())
		switch g.rng.IntN(8) {
		case 0:
			g.out("(%s)(%s)(%s)%s", t, u, g.write(g.typ()), v())
		case 1:
			w := g.wide()
			g.out("(%s)%s %s (%s & %d)", w, v(), pick(g, []string{"<<", ">>"}), v(), w.bits-1)
		case 2:
			g.out("(%s)%s %s (%s)%s", u, v(), pick(g, []string{"<", ">", "<=", "==", "!="}), t, v())
		case 3:
			z := v()
			g.line("%s %s= (%s)%s;", z, pick(g, []string{"+", "-", "*", "&", "|", "^"}), t, g.val())
			g.out("%s", z)
		case 4:
			g.out("(%s)(%s * (%s)%s)", t, v(), u, v())
		case 5:
			z := v()
			g.line("%s <<= (%s & 7); %s >>= 2;", z, v(), z)
			g.out("%s", z)
		case 6:
			g.out("(%s ? (%s)%s : (%s)%s)", v(), t, v(), u, v())
		default:
			g.out("(_Bool)(%s & 0x%x00) + !%s + !!%s", v(), 1+g.rng.IntN(255), v(), v())
		}
	}
	g.out("(int)(%d.75 * %d) + (unsigned char)%d.5", g.rng.IntN(50), g.rng.IntN(9), g.rng.IntN(200))
	g.end()
}

// builtins is the functions of GCC.
func builtins(g *gen, name string) {
	g.begin(name)
	for range 4 {
		suffix, t := pick(g, []string{"", "l", "ll"}), ""
		if t = "(unsigned)"; suffix != "" {
			t = "(unsigned long)"
		}
		switch g.rng.IntN(11) {
		case 0:
			g.out("__builtin_popcount%s(%s%s)", suffix, t, g.val())
		case 1:
			g.out("__builtin_%s%s(%s%s | 1)", pick(g, []string{"clz", "ctz", "parity"}), suffix, t, g.val())
		case 2:
			g.out("__builtin_clz%s((%s%s >> %s) | 1)", suffix, t, g.val(), g.small(32))
		case 3:
			g.out("__builtin_ffs%s(%s << %s)", suffix, g.val(), g.small(31))
		case 4:
			g.out("__builtin_bswap%s(%s)", pick(g, []string{"16", "32", "64"}), g.val())
		case 5, 6:
			r := g.id("r")
			g.line("%s %s;", g.write(g.plain()), r)
			g.out("__builtin_%s_overflow((%s)%s, (%s)%s, &%s)", pick(g, []string{"add", "sub", "mul"}), g.write(g.plain()), g.val(), g.write(g.plain()), g.val(), r)
			g.out("%s", r)
		case 7:
			r, of := g.id("r"), pick(g, [][2]string{{"", "int"}, {"l", "long"}, {"ll", "long long"}})
			sign := pick(g, []string{"s", "u"})
			g.line("%s%s %s;", map[string]string{"s": "", "u": "unsigned "}[sign], of[1], r)
			g.out("__builtin_%s%s%s_overflow(%s, %s, &%s)", sign, pick(g, []string{"add", "sub", "mul"}), of[0], g.val(), g.val(), r)
			g.out("%s", r)
		case 8:
			g.out("__builtin_%s_overflow_p((%s)%s, (%s)%s, (%s)0)", pick(g, []string{"add", "sub", "mul"}), g.write(g.plain()), g.val(), g.write(g.plain()), g.val(), g.write(g.plain()))
		case 9:
			g.out("__builtin_types_compatible_p(%s, %s)", pick(g, []string{"int", "char", "long", "int[]", "char *"}), pick(g, []string{"int", "signed", "long long", "int[3]", "char *", "unsigned"}))
		default:
			g.out("sizeof(__builtin_choose_expr(%d, (char)1, 1L)) + __builtin_expect(%s, 1)", g.rng.IntN(2), g.val())
		}
	}
	g.end()
}

// syncs is the atomic operations of GCC and of C11 on integers of all widths.
func syncs(g *gen, name string) {
	t := pick(g, []*typ{charT, scharT, ucharT, shortT, ushrtT, intT, uintT, longT, ulongT, llongT})
	w := g.write(t)
	g.line("static %s %sx = %s; static _Atomic(%s) %sa = %s;", w, name, g.constant(1).s, w, name, g.constant(1).s)
	g.begin(name)
	x, a := name+"x", name+"a"
	suffix := pick(g, []string{"", "", fmt.Sprintf("_%d", t.bits/8)})
	op := func() string { return pick(g, []string{"add", "sub", "or", "and", "xor", "nand"}) }
	g.line("%s e, d;", w)
	for range 4 {
		switch g.rng.IntN(12) {
		case 0:
			g.out("__sync_fetch_and_%s%s(&%s, %s)", op(), suffix, x, g.val())
		case 1:
			g.out("__sync_%s_and_fetch%s(&%s, %s)", op(), suffix, x, g.val())
		case 2:
			g.out("__sync_bool_compare_and_swap%s(&%s, %s, %s)", suffix, x, pick(g, []string{x, g.val()}), g.val())
		case 3:
			g.out("__sync_val_compare_and_swap%s(&%s, %s, %s)", suffix, x, g.val(), g.val())
		case 4:
			g.out("__sync_lock_test_and_set%s(&%s, %s)", suffix, x, g.val())
		case 5:
			g.out("__atomic_fetch_%s(&%s, %s, __ATOMIC_SEQ_CST)", op(), x, g.val())
		case 6:
			g.out("__atomic_%s_fetch(&%s, %s, __ATOMIC_RELAXED)", op(), x, g.val())
		case 7:
			g.out("atomic_fetch_%s(&%s, %s)", pick(g, []string{"add", "sub", "or", "and", "xor"}), a, g.val())
		case 8:
			g.line("e = %s;", pick(g, []string{a, g.val()}))
			g.out("atomic_compare_exchange_strong(&%s, &e, %s)", a, g.val())
			g.out("e")
		case 9:
			g.line("e = %s; d = %s;", pick(g, []string{x, g.val()}), g.val())
			g.out("__atomic_compare_exchange(&%s, &e, &d, 0, 5, 5)", x)
			g.out("e")
		case 10:
			g.out("%s %s= %s", a, pick(g, []string{"+", "-", "*", "|", "<<"}), pick(g, []string{"3", "1"}))
		default:
			g.out("%s", pick(g, []string{a + "++", "--" + a, x + "--", "atomic_exchange(&" + a + ", 5)", "__atomic_exchange_n(&" + x + ", 7, 5)"}))
		}
	}
	g.out("%s", x)
	g.out("%s", a)
	g.end()
}

// pointers is pointers to pointers, to rows and into arrays of arrays.
func pointers(g *gen, name string) {
	t := g.plain()
	w := g.write(t)
	g.begin(name)
	g.line("%s m[3][4], *p = m[1], (*row)[4] = m, **pp = &p; %s *ps[3] = { m[0], &m[1][2], *(m + 2) };", w, w)
	g.line("for (int i = 0; i < 12; i++) m[i / 4][i %% 4] = (%s)(%s * i);", w, g.val())
	for range 6 {
		switch g.rng.IntN(12) {
		case 0:
			g.out("row[%s][%s]", g.small(3), g.small(4))
		case 1:
			g.out("*(*(row + %s) + %s)", g.small(3), g.small(4))
		case 2:
			g.line("*pp = &m[%s][%s];", g.small(3), g.small(4))
			g.out("*p")
		case 3:
			g.line("p = m[1] + %s;", g.small(4))
			g.out("(p - m[1]) * 10 + (p < &m[1][2]) + (p == m[1] + 1)")
		case 4:
			g.out("p[%d]", 0)
			g.out("%s[m[1]]", g.small(4))
		case 5:
			g.out("*ps[%s]", g.small(3))
		case 6:
			g.line("row = m + %s;", g.small(2))
			g.line("row++;")
			g.out("(*row)[%s]", g.small(4))
			g.out("row - m")
			g.line("row = m;")
		case 7:
			g.line("p = m[1]; *p++ = %s; *++p = %s;", g.val(), g.val())
			g.out("*p--")
			g.out("(*p)++")
		case 8:
			g.line("for (%s *q = m[1]; q != m[1] + 4; q++) *q += 1;", w)
		case 9:
			g.out("(char *)&m[%s][1] - (char *)m", g.small(3))
		case 10:
			v := g.id("v")
			g.line("const void *%s = &m[2][%s];", v, g.small(4))
			g.out("*(const %s *)%s", w, v)
		default:
			g.out("&m[1][%s] > &m[1][%s]", g.small(4), g.small(4))
			g.out("!p + (p != 0) + (p && 1)")
		}
	}
	g.digest("m[0]", "4")
	g.digest("m[1]", "4")
	g.digest("m[2]", "4")
	g.end()
}

// literals is numbers, characters and strings as they can be written.
func literals(g *gen, name string) {
	g.begin(name)
	for range 6 {
		switch g.rng.IntN(8) {
		case 0:
			g.out("0b%b", g.rng.IntN(256))
		case 1:
			g.out("'%s'", pick(g, []string{"a", "\\x80", "\\0", "\\177", "\"", "?", "\\e"}))
		case 2:
			g.out("%s[%s]", `"ab" "\x41" "c\0d" "\377\1"`, g.small(7))
		case 3:
			g.out("sizeof %s", pick(g, []string{`"ab" "cd"`, `"\x41" "1"`, `"\0"`, `""`, `"a\
b"`}))
		case 4:
			s := g.id("s")
			g.line("%schar %s%s = %s;", pick(g, []string{"", "static ", "unsigned ", "const "}), s, pick(g, []string{"[]", "[20]", "[3]"}), pick(g, []string{`"abc"`, `{ "abc" }`, `"\xff\x7f"`, `{ 'a', 'b', 99 }`}))
			g.digest(s, "sizeof "+s)
		case 5:
			s := g.id("s")
			g.line("static const char *const %s[] = { \"one\", \"two\" \"x\", %s, 0 };", s, g.text(4))
			g.out("strlen(%s[%s])", s, g.small(3))
			g.out("%s[1][%s] + !%s[3]", s, g.small(4), s)
		case 6:
			g.out("%s", pick(g, []string{"L'a'", "sizeof 'a'", "sizeof L'a'", "INT_MIN", "LONG_MAX", "UINT_MAX", "SCHAR_MIN", "UINT64_MAX", "INT8_C(-1)", "SIZE_MAX", "CHAR_BIT", "PTRDIFF_MIN", "-2147483648", "0xffffffff + 1", "1 - 2u", "~0ul", "INT64_C(1) << 40"}))
		default:
			g.out("%s", pick(g, []string{"sizeof(L\"ab\")", "L\"abc\"[1]", "__func__[0]", "sizeof __func__ > 3", "__LINE__ > 0", "sizeof u8\"a\\0b\" \"c\"", "u8\"abc\"[1]", "\"abc\"[1] == *(\"abc\" + 1)"}))
		}
	}
	g.end()
}

// macros is the preprocessor.
func macros(g *gen, name string) {
	m := strings.ToUpper(name)
	g.line("#define %s_CAT(a, b) a##b", m)
	g.line("#define %s_STR(a) #a", m)
	g.line("#define %s_XSTR(a) %s_STR(a)", m, m)
	g.line("#define %s_MAX(a, b) ({ __typeof__(a) a_ = (a); __typeof__(b) b_ = (b); a_ > b_ ? a_ : b_; })", m)
	g.line("#define %s_SUM(x, ...) (x + %s_N(__VA_ARGS__, 3, 2, 1))", m, m)
	g.line("#define %s_N(a, b, c, d, ...) d", m)
	g.line("#define %s_DO(v) do { if (v) n += %d; else n -= 1; } while (0)", m, g.rng.IntN(9))
	g.line("#define %s_OF(p, t, f) ((t *)((char *)(p) - offsetof(t, f)))", m)
	g.line("#if defined %s_CAT && (%d > 3 || -1 < 0u) && !defined(NOTHING)\n#define %s_K %d\n#elif 1\n#define %s_K 5\n#else\n#error\n#endif", m, g.rng.IntN(7), m, g.rng.IntN(100), m)
	g.begin(name)
	g.line("int n = %s, %s_CAT(ab, c) = 4; struct { long l; int i; } s = { 5, 6 };", g.val(), m)
	g.out("abc")
	g.out("sizeof %s_STR(a + \"b\\n\" 'c')", m)
	g.out("strlen(%s_XSTR(%s_K))", m, m)
	g.out("%s_MAX(%s, %s)", m, g.val(), g.val())
	g.out("%s_SUM(%s, %s)", m, g.val(), pick(g, []string{"1", "1, 2", "1, 2, 3"}))
	g.line("if (%s) %s_DO(%s); else n = 3;", g.val(), m, g.val())
	g.out("n")
	g.line("int *p = &s.i;")
	g.out("%s_K + __COUNTER__ * 0 + ((__typeof__(s) *)((char *)p - offsetof(__typeof__(s), i)))->l", m)
	g.end()
}

// recursion is functions that call themselves, and one another, and count in statics.
func recursion(g *gen, name string) {
	f := g.prefix + g.id("f")
	t := g.wide()
	g.line("static %s %so(int, %s);", t, f, t)
	g.line("static %s %se(int n, %s x) { static unsigned char calls; calls += 100; return n <= 0 ? x + calls : %so(n - 1, x * 3 + n); }", t, f, t, f)
	g.line("static %s %so(int n, %s x) { return n <= 0 ? -x : %se(n - 1, x ^ n); }", t, f, t, f)
	g.line("static %s %sfact(int n) { return n < 2 ? 1 : n * %sfact(n - 1); }", t, f, f)
	g.line("static void %sfill(%s *a, int n) { if (n > 0) { a[n - 1] = n * 5; %sfill(a, n - 1); } }", f, t, f)
	g.begin(name)
	g.out("%se(%s, %s)", f, g.small(5), g.val())
	g.out("%se(%s, %s)", f, g.small(4), g.val())
	g.out("%sfact(%s)", f, g.small(6))
	g.line("%s a[5] = { 0 }; %sfill(a, %s);", t, f, g.small(6))
	g.digest("a", "5")
	g.end()
}

// tailCalls is functions that end by calling themselves, in several places, with arguments that exchange what the parameters are.
func tailCalls(g *gen, name string) {
	f := g.prefix + g.id("f")
	t, u := g.wide(), g.plain()
	args := func(n string) string {
		return n + ", " + pick(g, []string{"b, a", "b, (a ^ n)", "(a + b), a", "a, (b - n)", "(n & 1 ? b : a), (a * 3)", "(b += n), a", fmt.Sprintf("(a ^ b), %so(2, b)", f)})
	}
	g.line("static %s %so(int n, %s x) { return n <= 0 ? x : %so(n - 1, x * 5); }", t, f, t, f)
	g.line("static %s %sr(int n, %s a, %s b) {", t, f, g.write(t), g.write(u))
	g.line("\t%s c = a;", t)
	g.line("\tif (n <= 0) return a - b;")
	g.line("\tfor (int i = 0; i < n; i++) { c += i; if (i == %d) return %sr(%s); }", 1+g.rng.IntN(6), f, args("n - 3"))
	g.line("\tswitch (n %% 3) { case 0: return %sr(%s); case 1: { int n = 2; c ^= n; } break; default: c--; }", f, args("n - 1"))
	g.line("\tif (c & %d) return (%sr(%s));", 1<<g.rng.IntN(4), f, args("n - 2"))
	g.line("\telse a = c;\n\treturn %sr(%s);\n}", f, args("n - 1"))
	g.line("static void %sv(%s *p, %s *end, %s x) {", f, g.write(u), g.write(u), g.write(t))
	g.line("\tif (p >= end) return;")
	g.line("\t%s y = x + 1; *p++ = y;", t)
	g.line("\tif (x & 1) { %sv(p, end, y * 3); return; }", f)
	g.line("\tif (x & 2) %sv(p + (p < end), end, y); else { %s z = y; if (z & 4) { %sv(p, end - 1, z - 7); %sv(p, end, z); } else %sv(p, end, x + y); }\n}", f, t, f, f, f)
	g.begin(name)
	g.out("%sr(%s, %s, %s)", f, g.small(14), g.val(), g.val())
	g.out("%sr(%s, %s, %s)", f, g.small(6), g.val(), g.val())
	g.line("%s a[9] = { 0 }; %sv(a, a + %s, %s);", u, f, g.small(10), g.val())
	g.digest("a", "9")
	g.end()
}

// lists is structures that point to one another.
func lists(g *gen, name string) {
	t := g.plain()
	typ := "struct " + g.prefix + g.id("node")
	g.line("%s { %s v; %s *next; };", typ, g.write(t), typ)
	g.begin(name)
	g.line("%s *head = 0, **tail = &head; int n = %s;", typ, g.small(5))
	g.line("for (int i = 0; i < n; i++) {")
	g.line("\t%s *x = %s;", typ, pick(g, []string{"malloc(sizeof *x)", "calloc(1, sizeof *x)", "malloc(sizeof(" + typ + "))"}))
	g.line("\tx->v = (%s)(%s + i); x->next = 0;", g.write(t), g.val())
	if g.p(50) {
		g.line("\t*tail = x; tail = &x->next;")
	} else {
		g.line("\tx->next = head; head = x;")
	}
	g.line("}")
	if g.p(50) {
		g.line("%s *last = 0; while (head) { %s *next = head->next; head->next = last; last = head; head = next; } head = last;", typ, typ)
	}
	if g.p(50) {
		g.line("for (%s **p = &head; *p;) if ((*p)->v & 1) { %s *x = *p; *p = x->next; free(x); } else p = &(*p)->next;", typ, typ)
	}
	g.line("u64 h = 0; for (%s *x = head; x; x = x->next) h = h * 31 + (u64)x->v;", typ)
	g.out("h")
	g.out("head && head->next ? head->next->v : 3")
	g.line("while (head) { %s *x = head; head = head->next; free(x); }", typ)
	g.end()
}

// memory is structures in the heap, and arrays of pointers to them.
func memory(g *gen, name string) {
	typ, members := g.layout(false)
	g.begin(name)
	g.line("%s *a = calloc(3, sizeof *a), *b = malloc(sizeof(%s)), *ps[2] = { a + 2, b };", typ, typ)
	g.fill("a[1].", members)
	g.fill("b->", members)
	g.line("*ps[0] = *ps[%s];", g.small(2))
	g.line("a[0] = a[1];")
	g.line("memcpy(%s, %s, sizeof *a);", "ps[1]", "&a[1]")
	for i := range 3 {
		g.show(fmt.Sprintf("a[%d].", i), members)
	}
	g.show("ps[1]->", members)
	g.out("ps[0] - a")
	g.line("memset(a, %s, sizeof *a);", pick(g, []string{"0", "0"}))
	g.show("a->", members)
	g.line("free(a); free(b);")
	g.end()
}
