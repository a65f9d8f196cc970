package randc

import (
	"fmt"
	"strings"
)

// varargs is a function with variable arguments, read according to a string, with or without a function
// in between that hands its va_list on.
func varargs(g *gen, name string) {
	f := g.prefix + g.id("va")
	g.line("static u64 %sv(const char *kinds, va_list ap) {", f)
	g.line("\tu64 h = 1;")
	g.line("\tfor (; *kinds; kinds++) switch (*kinds) {")
	g.line("\tcase 'i': h = h * 31 + (u64)va_arg(ap, int); break;")
	g.line("\tcase 'u': h = h * 31 + va_arg(ap, unsigned); break;")
	g.line("\tcase 'l': h = h * 31 + (u64)va_arg(ap, %s); break;", g.write(longT))
	g.line("\tcase 'p': h = h * 31 + (u64)*va_arg(ap, int *); break;")
	g.line("\tcase 's': h = h * 31 + strlen(va_arg(ap, const char *)); break;")
	g.line("\tdefault: h ^= 1; break;\n\t}\n\treturn h;\n}")
	g.line("static u64 %s(int unused, const char *kinds, ...) {", f)
	g.line("\tva_list ap;\n\tva_start(ap, kinds);")
	switch g.rng.IntN(3) {
	case 0:
		g.line("\tu64 h = %sv(kinds, ap) + (u64)unused;", f)
	case 1:
		g.line("\tva_list again;\n\tva_copy(again, ap);\n\tu64 h = %sv(kinds, ap) * 3 + %sv(kinds, again);\n\tva_end(again);", f, f)
	default:
		g.line("\tu64 h = *kinds == 'i' ? (u64)va_arg(ap, int) : 5;\n\tif (*kinds == 'i') kinds++;\n\th += %sv(kinds, ap);", f)
	}
	g.line("\tva_end(ap);\n\treturn h;\n}")
	g.begin(name)
	g.line("int x = %s, y = %s;", g.val(), g.val())
	for range 1 + g.rng.IntN(3) {
		kinds, args := "", ""
		for range g.rng.IntN(5) {
			k := pick(g, []string{"i", "i", "u", "l", "p", "s"})
			kinds += k
			switch k {
			case "i":
				args += fmt.Sprintf(", (%s)%s", pick(g, []string{"int", "short", "signed char", "_Bool", "unsigned char"}), g.val())
			case "u":
				args += fmt.Sprintf(", (unsigned)%s", g.val())
			case "l":
				args += fmt.Sprintf(", (%s)%s", pick(g, []string{"long", "i64"}), g.val())
			case "p":
				args += pick(g, []string{", &x", ", &y", ", &(int){ 7 }"})
			default:
				args += ", " + g.text(5)
			}
		}
		g.out("%s(%s, %q%s)", f, g.val(), kinds, args)
	}
	g.end()
}

// sorted is qsort and bsearch over an array of numbers or of structures.
func sorted(g *gen, name string) {
	t := g.plain()
	n := 2 + g.rng.IntN(5)
	typ, key := g.write(t), ""
	if g.p(50) {
		typ = "struct " + g.prefix + g.id("s")
		key = ".key"
		g.line("%s { %s; %s key; %s; };", typ, pick(g, []string{"char before", "long before", "short before[3]"}), g.write(t), pick(g, []string{"char after", "long after", "int after[2]"}))
	}
	cmp := g.prefix + g.id("cmp")
	g.line("static int %s(const void *a, const void *b) {", cmp)
	x, y := "(*(const "+typ+" *)a)"+key, "(*(const "+typ+" *)b)"+key
	if g.p(50) {
		g.line("\tconst %s *p = a, *q = b;", typ)
		x, y = "(*p)"+key, "(*q)"+key
	}
	if g.p(30) {
		x, y = y, x
	}
	if g.p(50) {
		g.line("\treturn %s < %s ? -1 : %s > %s;\n}", x, y, x, y)
	} else {
		g.line("\tif (%s == %s) return 0;\n\treturn %s > %s ? 1 : -1;\n}", x, y, x, y)
	}
	g.begin(name)
	g.line("%s a[%d], k;", typ, n)
	if key != "" {
		g.line("memset(a, 0, sizeof a); memset(&k, 0, sizeof k);")
	}
	for i := range n {
		g.line("a[%d]%s = %s;", i, key, g.val())
	}
	g.line("qsort(a, %d, sizeof%s, %s);", n, pick(g, []string{" a[0]", "(" + typ + ")", "(*a)"}), pick(g, []string{cmp, "&" + cmp}))
	for i := range n {
		g.out("a[%d]%s", i, key)
	}
	for range 2 {
		g.line("k%s = %s;", key, pick(g, []string{g.val(), fmt.Sprintf("a[%s]%s", g.small(n), key)}))
		p := g.id("p")
		g.line("%s *%s = bsearch(&k, a, %d, sizeof k, %s);", typ, p, n, cmp)
		g.out("%s ? (*%s)%s : 99", p, p, key)
	}
	g.end()
}

// tokens is strtok or strtok_r.
func tokens(g *gen, name string) {
	g.begin(name)
	g.line("char s[] = %s;", g.text(10))
	delim := pick(g, []string{`","`, `" ,;"`, `"ab"`, `"-"`, `"\n\t "`, `""`})
	next := fmt.Sprintf("strtok(0, %s)", delim)
	g.line("u64 h = 3; int n = 0;")
	if g.p(50) {
		g.line("for (char *p = strtok(s, %s); p; p = %s) { h = h * 31 + strlen(p) + (u64)(p - s) * 100 + (unsigned char)*p; n++; }", delim, next)
	} else {
		g.line("char *save, *p = strtok_r(s, %s, &save);", delim)
		g.line("while (p) { h = h * 31 + strlen(p) + (u64)(p - s) * 100; n++; p = strtok_r(NULL, %s, &save); }", delim)
	}
	g.out("h")
	g.out("n")
	g.digest("s", "sizeof s")
	g.end()
}

// stringFunctions is what string.h has besides.
func stringFunctions(g *gen, name string) {
	g.begin(name)
	g.line("char a[128] = %s, b[128] = %s; const char *c = %s;", g.text(8), g.text(8), g.text(5))
	sign := func(s string) string { return fmt.Sprintf("(%s > 0) - (%s < 0)", s, s) }
	for range 2 + g.rng.IntN(4) {
		n, k := g.small(9), g.id("")
		switch g.rng.IntN(24) {
		case 0:
			g.line("strcpy(a, b);")
		case 1:
			g.line("strcat(a, c);")
		case 2:
			g.line("strncpy(b, c, %s);", n)
		case 3:
			g.line("strncat(b, c, %s);", n)
		case 4:
			g.out("%s", sign("strcmp(a, b)"))
		case 5:
			g.out("%s", sign(fmt.Sprintf("strncmp(a, c, %s)", n)))
		case 6:
			g.out("strchr(a, %s) ? strchr(a, 'b') - a : 99", pick(g, []string{"'b'", "'b' + 256"}))
		case 7:
			g.line("char *r%s = strrchr(a, %s);", k, pick(g, []string{"'a'", "'\\0'", "','", "'\\377'"}))
			g.out("r%s ? r%s - a : -1", k, k)
		case 8:
			g.line("char *t%s = strstr(a, c);", k)
			g.out("t%s ? t%s - a : -1", k, k)
		case 9:
			g.out("strlen(a) + strlen(b) * 100")
		case 10:
			g.out("strnlen(a, %s)", n)
		case 11:
			g.line("void *v%s = memchr(a, %s, sizeof a);", k, pick(g, []string{"'a'", "0", "353", "-1"}))
			g.out("v%s ? (char *)v%s - a : -1", k, k)
		case 12:
			g.out("%s", sign(fmt.Sprintf("memcmp(a, b, %s)", n)))
		case 13:
			g.line("memmove(a + %d, a, %s);", g.rng.IntN(4), n)
		case 14:
			g.line("memmove(a, a + %d, %s);", g.rng.IntN(4), n)
		case 15:
			g.out("str%sspn(a, %s)", pick(g, []string{"", "c"}), pick(g, []string{"c", "b", g.text(4)}))
		case 16:
			g.line("char *q%s = %s;", k, pick(g, []string{"strpbrk(a, c)", "strchrnul(a, 'b')", "memrchr(a, 'a', " + n + ")"}))
			g.out("q%s ? q%s - a : 99", k, k)
		case 17:
			g.line("char *w%s = b, *v%s; u64 h%s = 5;", k, k, k)
			g.line("while ((v%s = strsep(&w%s, %s))) h%s = h%s * 31 + strlen(v%s);", k, k, pick(g, []string{"c", `","`, `" ;1"`, `""`}), k, k, k)
			g.out("h%s", k)
		case 18:
			g.out("stpcpy(a + %d, c) - a", g.rng.IntN(4))
		case 19:
			g.out("(char *)mempcpy(b + %d, a, %s) - b", g.rng.IntN(4), n)
		case 20:
			g.line("__builtin___%s_chk(a, b, %d, sizeof a);", pick(g, []string{"memcpy", "memmove", "strncpy"}), g.rng.IntN(9))
			g.line("a[127] = 0;")
		case 21:
			g.line("__builtin_strcpy(a, c); __builtin___strcat_chk(a, b, sizeof a);")
			g.out("__builtin_strlen(a) + 10 * (__builtin_memcmp(a, c, 1) > 0)")
		case 22:
			g.line("memset(b + %d, %s, %s);", g.rng.IntN(4), g.val(), n)
			g.line("b[127] = 0; a[127] = 0;")
		default:
			g.line("char *d%s = strdup(b); if (*d%s) d%s[0] = 'q';", k, k, k)
			g.digest(fmt.Sprintf("d%s", k), fmt.Sprintf("strlen(d%s)", k))
			g.line("free(d%s);", k)
		}
	}
	g.digest("a", "sizeof a")
	g.digest("b", "sizeof b")
	g.end()
}

// printedText is sprintf and snprintf.
func printedText(g *gen, name string) {
	g.begin(name)
	g.line("char buf[200]; int n; memset(buf, 1, sizeof buf);")
	for range 1 + g.rng.IntN(2) {
		format, args := "", ""
		for range 1 + g.rng.IntN(3) {
			flags := pick(g, []string{"", "", "", "", "5", "-5", "05", "+", "12", " ", ".3", "6.2", "-8.3", "#"})
			switch g.rng.IntN(11) {
			case 0, 1:
				flags = strings.ReplaceAll(flags, "#", "")
				format += "%" + flags + "d"
				args += ", (int)" + g.val()
			case 2:
				format += "%" + strings.Trim(flags, "+ #") + "u"
				args += ", (unsigned)" + g.val()
			case 3:
				format += "%" + strings.Trim(flags, "+ ") + pick(g, []string{"x", "X", "o"})
				args += ", (unsigned)" + g.val()
			case 4:
				format += "%" + pick(g, []string{"", "3", "-3"}) + "c"
				args += ", 'a' + " + g.small(26)
			case 5:
				format += "%" + pick(g, []string{"", "6", "-6", ".2", "5.1", ".*"}) + "s"
				if strings.HasSuffix(format, "*s") {
					args += ", " + g.small(5)
				}
				args += ", " + g.text(6)
			case 6:
				format += "%" + strings.ReplaceAll(flags, "#", "") + "ld"
				args += ", (long)" + g.val()
			case 7:
				format += "%" + strings.Trim(flags, "+ ") + pick(g, []string{"lu", "lx", "llx", "zu", "lo"})
				format = strings.ReplaceAll(strings.ReplaceAll(format, "%#lu", "%lu"), "%#zu", "%zu")
				args += ", (unsigned long)" + g.val()
			case 8:
				format += pick(g, []string{"%%", "ab", "\\n", ":"})
			case 9:
				format += pick(g, []string{"%hhd", "%hd", "%hhu", "%hu", "%hx"})
				args += ", (int)" + g.val()
			default:
				format += "%*d"
				args += fmt.Sprintf(", %s, (int)%s", g.small(9), g.val())
			}
		}
		if g.p(50) {
			g.line("n = sprintf(buf, \"%s\"%s);", format, args)
		} else {
			g.line("n = snprintf(buf, %s, \"%s\"%s);", pick(g, []string{"sizeof buf", "5", "1", "0", g.small(20)}), format, args)
		}
		g.out("n")
		g.digest("buf", "60")
	}
	g.end()
}

// reallocated is an array that grows and shrinks.
func reallocated(g *gen, name string) {
	t := g.plain()
	w := g.write(t)
	g.begin(name)
	n := 1 + g.rng.IntN(4)
	g.line("int n = %d;", n)
	if g.p(30) {
		g.line("n = 1 + %s;", g.small(4))
	}
	g.line("%s *p = %s;", w, pick(g, []string{"calloc(n, sizeof *p)", fmt.Sprintf("calloc(n, sizeof(%s))", w)}))
	g.line("for (int i = 0; i < n; i++) p[i] = (%s)(%s + i * 3);", w, g.val())
	for range 1 + g.rng.IntN(2) {
		m := g.id("m")
		g.line("int %s = %s;", m, pick(g, []string{"n * 2", "n + 1", fmt.Sprintf("1 + %s", g.small(6)), fmt.Sprint(1 + g.rng.IntN(6))}))
		g.line("p = realloc(p, %s);", pick(g, []string{"sizeof *p * " + m, m + " * sizeof(" + w + ")"}))
		g.line("for (int i = n; i < %s; i++) p[i] = (%s)(i * 7 + 1);", m, w)
		g.line("n = %s;", m)
	}
	g.out("n")
	g.digest("p", "n")
	g.line("free(p);")
	g.end()
}

// growing is arrays that double whenever they are full, one of numbers and one of structures. None has 64 bits: what is stored there may
// be what stands for a number that nobody has written.
func growing(g *gen, name string) {
	narrow := func() string { return pick(g, []string{"char", "u8", "short", "u16", "int", "unsigned"}) }
	w := narrow()
	s := "struct " + g.prefix + g.id("s")
	f := g.prefix + g.id("f")
	first := 1 + g.rng.IntN(3)
	g.line("%s { %s a; %s b[2]; };", s, narrow(), narrow())
	g.line("static %s *%sv; static %s *%sw; static size_t %sn, %scap; static unsigned %sk, %sroom;", w, f, s, f, f, f, f, f)
	g.line("static void %spush(%s x) {", f, w)
	g.line("\tif (%sn == %scap) { %scap = %scap ? 2 * %scap : %d; %sv = realloc(%sv, %scap * sizeof *%sv); }", f, f, f, f, f, first, f, f, f, f)
	g.line("\t%sv[%sn++] = x;\n}", f, f)
	g.line("static void %sadd(%s x) {", f, s)
	g.line("\tif (%sk == %sroom) { %sroom += %d; %sw = realloc(%sw, sizeof(%s) * %sroom); }", f, f, f, 1+g.rng.IntN(3), f, f, s, f)
	g.line("\t%sw[%sk++] = x;\n}", f, f)
	g.begin(name)
	g.line("for (int i = 0; i < %d + %s; i++) { %spush((%s)(%s + i * 5)); if (i & 1) %sadd((%s){ i, { 7 * i, %s } }); }", 1+g.rng.IntN(2), g.small(4), f, w, g.val(), f, s, g.val())
	g.digest(f+"v", f+"n")
	g.line("for (unsigned i = 0; i < %sk; i++) %spush((%s)(%sw[i].a + %sw[i].b[1] * 3 + %sw[i].b[0]));", f, f, w, f, f, f)
	g.out("%sn", f)
	g.digest(f+"v", f+"n")
	g.line("free(%sv); free(%sw);", f, f)
	g.end()
}

// copied is memcpy and its kin with sizes that are computed.
func copied(g *gen, name string) {
	typ, members := "", []variable(nil)
	if g.p(50) {
		typ, members = g.layout(false)
	}
	g.begin(name)
	if members != nil {
		g.line("%s a[4], b[4]; memset(a, 0, sizeof a); memset(b, 0, sizeof b);", typ)
		for i := range 4 {
			g.fill(fmt.Sprintf("a[%d].", i), members)
		}
		g.line("unsigned n = %s;", g.small(5))
		g.line("%s(b, a, n * sizeof %s);", pick(g, []string{"memcpy", "memmove"}), pick(g, []string{"*a", "a[0]", "(" + typ + ")"}))
		for i := range 4 {
			g.show(fmt.Sprintf("b[%d].", i), members[:1])
		}
	} else {
		w := g.write(g.plain())
		g.line("%s a[8], b[8] = { 0 };", w)
		g.line("for (int i = 0; i < 8; i++) a[i] = (%s)(%s * i);", w, g.val())
		for range 2 {
			g.line("{ size_t n = %s; %s(b + %d, a + %d, n * sizeof(%s)); }", g.small(5), pick(g, []string{"memcpy", "memmove"}), g.rng.IntN(4), g.rng.IntN(4), w)
		}
		g.line("{ int k = %s; memmove(a + %d, a + %d, k * sizeof *a); }", g.small(4), g.rng.IntN(4), g.rng.IntN(4))
		g.digest("a", "8")
		g.digest("b", "8")
	}
	g.end()
}

// parsed is strings that become numbers, and characters.
func parsed(g *gen, name string) {
	g.begin(name)
	for range 2 + g.rng.IntN(3) {
		k := g.id("")
		s := pick(g, []string{"", " ", "-", "+", "\\t-"}) + pick(g, []string{"0", "7", "42", "123456", "0x1f", "077", "zz", "2147483647", "12ab"})
		switch g.rng.IntN(6) {
		case 0:
			g.out("atoi(\"%s\")", s)
		case 1:
			g.out("atol(\"%s\")", s)
		case 2:
			g.out("strtol(\"%s\", 0, %d)", s, pick(g, []int{0, 8, 10, 16, 36}))
		case 3:
			g.line("char *e%s; const char *s%s = \"%s\";", k, k, s)
			g.out("strtoul(s%s, &e%s, %d)", k, k, pick(g, []int{0, 10, 16}))
			g.out("e%s - s%s", k, k)
		case 4:
			g.out("!!%s(%s)", pick(g, []string{"isdigit", "isalpha", "isalnum", "isspace", "isupper", "islower", "ispunct", "isprint", "isxdigit"}), g.small(128))
		default:
			g.out("%s(%s)", pick(g, []string{"toupper", "tolower"}), g.small(128))
		}
	}
	for _, f := range [][2]string{{"div", "int"}, {"ldiv", "long"}, {"lldiv", "long long"}} {
		if g.p(30) {
			d := g.id("d")
			g.line("%s_t %s = %s((%s)(%s / 2), %s%d);", f[0], d, f[0], f[1], g.val(), pick(g, []string{"", "-"}), 1+g.rng.IntN(9))
			g.out("%s.quot * 10 + %s.rem", d, d)
		}
	}
	g.out("abs((int)(%s %% 1000)) + labs((long)(%s %% 1000))", g.val(), g.val())
	g.end()
}
