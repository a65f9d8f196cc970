package randc

import "fmt"

// packed is a structure with attributes: sizes, offsets, alignments, and values in an array of it.
func packed(g *gen, name string) {
	typ, members := g.layout(true)
	other := ""
	if g.p(40) {
		other = "struct " + g.prefix + g.id("s")
		g.line("%s { char c; %s in%s; short last; }%s;", other, typ, pick(g, []string{"", "[2]"}), pick(g, []string{"", " __attribute__((packed))"}))
	}
	g.begin(name)
	g.out("sizeof(%s)", typ)
	g.out("_Alignof(%s)", typ)
	for _, m := range members {
		g.out("offsetof(%s, %s)", typ, m.name)
		if m.len > 0 {
			g.out("offsetof(%s, %s[%d])", typ, m.name, g.rng.IntN(m.len))
		}
	}
	if other != "" {
		g.out("sizeof(%s)", other)
		g.out("offsetof(%s, last)", other)
	}
	g.line("%s a[2], *p = &a[1];", typ)
	g.fill("a[0].", members)
	g.fill("p->", members)
	m := pick(g, members)
	if m.len == 0 {
		g.line("p->%s %s= %s;", m.name, pick(g, []string{"+", "-", "^", "|"}), g.val())
		if m.t != boolT {
			g.line("a[0].%s++;", m.name)
		}
	}
	if g.p(40) {
		g.line("a[0] = *p;")
	}
	g.show("a[0].", members)
	g.show("a[1].", members)
	g.end()
}

// flexible is a structure that ends in an array without a size.
func flexible(g *gen, name string) {
	typ, t := "struct "+g.prefix+g.id("s"), g.plain()
	g.line("%s { %s n; %s %s; %s data[]; }%s;", typ, g.write(g.plain()), pick(g, []string{"char", "long", "short"}), "tag", g.write(t), pick(g, []string{"", "", " __attribute__((packed))"}))
	g.begin(name)
	g.out("sizeof(%s)", typ)
	g.out("offsetof(%s, data)", typ)
	g.line("int n = 1 + %s;", g.small(5))
	g.line("%s *p = malloc(%s);", typ, pick(g, []string{"sizeof *p + n * sizeof p->data[0]", fmt.Sprintf("sizeof(%s) + n * sizeof(%s)", typ, g.write(t)), fmt.Sprintf("offsetof(%s, data) + sizeof(%s) * n + 16", typ, g.write(t))}))
	g.line("p->n = n; p->tag = %s;", g.val())
	g.line("for (int i = 0; i < n; i++) p->data[i] = %s + i;", g.val())
	g.out("p->n")
	g.out("p->tag")
	g.out("p->data[%s %% n]", g.small(8))
	g.digest("p->data", "n")
	g.line("free(p);")
	g.end()
}

// byteBuffer is bytes in which larger things lie.
func byteBuffer(g *gen, name string) {
	g.begin(name)
	switch g.rng.IntN(3) {
	case 0: // scalars by memcpy
		g.line("unsigned char b[32] = { 0 };")
		for range 2 {
			t := g.plain()
			v, w := g.id("v"), g.id("w")
			at := fmt.Sprint(g.rng.IntN(3) * 8)
			g.line("%s %s = %s, %s = 0;", g.write(t), v, g.val(), w)
			g.line("memcpy(b + %s, &%s, sizeof %s);", at, v, v)
			g.line("memcpy(&%s, b + %s, sizeof %s);", w, at, w)
			g.out("%s", w)
		}
		g.digest("b", "32")
	case 1: // an array in memory that came as bytes
		t := g.plain()
		g.line("unsigned char *b = malloc(%d * sizeof(%s));", 4, g.write(t))
		g.line("%s *p = (%s *)b;", g.write(t), g.write(t))
		g.line("for (int i = 0; i < 4; i++) p[i] = %s + i;", g.val())
		g.digest("p", "4")
		g.out("((%s *)b)[%s]", g.write(t), g.small(4))
		g.line("free(b);")
	default: // the bytes of a scalar
		t := g.plain()
		g.line("%s x = %s; unsigned char *b = (unsigned char *)&x;", g.write(t), g.val())
		for i := range t.bits / 8 {
			g.out("b[%d]", i)
		}
		g.line("b[%d] = %s;", g.rng.IntN(t.bits/8), g.val())
		g.out("x")
	}
	g.end()
}

// paddings is the bytes of structures, those in no member among them.
func paddings(g *gen, name string) {
	typ, members := g.layout(true)
	g.begin(name)
	g.line("static %s z; %s a, b[2]; unsigned char raw[sizeof a];", typ, typ)
	g.line("memset(&a, %s, sizeof a); memset(b, %s, sizeof b);", pick(g, []string{"0", "0", "255", "17"}), pick(g, []string{"0", "255"}))
	g.fill("a.", members)
	g.fill("b[1].", members)
	switch g.rng.IntN(3) {
	case 0:
		g.line("memcpy(raw, &a, sizeof a); memcpy(&b[0], raw, sizeof a);")
	case 1:
		g.line("memmove(&b[0], &a, sizeof b[0]); memcpy(raw, &b[1], sizeof raw);")
	default:
		g.line("memcpy(raw, &z, sizeof z); memcpy(&b[0], &a, sizeof a);")
	}
	g.fill(pick(g, []string{"a.", "b[0].", "b[1]."}), members[:1])
	g.digest(pick(g, []string{"raw", "((unsigned char *)&a)", "((unsigned char *)&b[0])", "((unsigned char *)&b[1])"}), "sizeof a")
	g.out("memcmp(&a, &b[0], sizeof a) < 0")
	g.out("memcmp(&b[0], &b[1], sizeof a) > 0")
	g.show("b[0].", members)
	g.end()
}

// overlapping is a union whose members share bytes.
func overlapping(g *gen, name string) {
	typ := "union " + g.prefix + g.id("u")
	g.line("%s { u64 l; u32 w[2]; i16 h[4]; u8 b[8]; struct { u16 a; i8 b, c; i32 d; } s; struct { u32 lo : %d, hi : %d; } f; i32 x; };", typ, 1+g.rng.IntN(16), 1+g.rng.IntN(16))
	g.begin(name)
	g.line("%s u = { .l = %s }, v;", typ, g.val())
	places := []string{"u.l", "u.w[0]", "u.w[1]", "u.h[0]", "u.h[3]", "u.b[0]", "u.b[5]", "u.s.a", "u.s.b", "u.s.c", "u.s.d", "u.x"}
	for range 1 + g.rng.IntN(3) {
		g.line("%s %s= %s;", pick(g, places), pick(g, []string{"", "", "+", "^"}), g.val())
		if g.p(20) {
			g.line("u.b[%s] = %s;", g.small(8), g.val())
		}
		g.out("%s", pick(g, places))
	}
	g.line("v = u;")
	for _, p := range []string{"v.l", "v.w[1]", "v.h[1]", "v.s.c", "v.s.d", "v.x"} {
		g.out("%s", p)
	}
	g.digest("v.b", "8")
	g.end()
}

// bitFields is bit-fields of several types, with plain members between them.
func bitFields(g *gen, name string) {
	typ := "struct " + g.prefix + g.id("s")
	var members []string
	g.line("%s {", typ)
	for i := range 2 + g.rng.IntN(5) {
		t := pick(g, []*typ2{{"int", 31}, {"unsigned", 31}, {"long", 31}, {"unsigned long", 31}, {"short", 16}, {"unsigned char", 8}, {"signed char", 8}, {"_Bool", 1}})
		m := fmt.Sprintf("m%d", i)
		switch {
		case g.p(70):
			g.line("\t%s %s : %d;", t.name, m, 1+g.rng.IntN(t.bits))
		case g.p(30):
			g.line("\t%s : %d;", t.name, g.rng.IntN(t.bits+1))
			continue
		default:
			g.line("\t%s %s;", t.name, m)
		}
		members = append(members, m)
	}
	g.line("\tchar z;\n};")
	members = append(members, "z")
	g.begin(name)
	g.out("sizeof(%s)", typ)
	g.line("%s x = { 0 }, y;", typ)
	for _, m := range members {
		g.line("x.%s = %s;", m, g.val())
	}
	for range 3 {
		m := pick(g, members)
		switch g.rng.IntN(4) {
		case 0:
			g.line("x.%s %s= %s;", m, pick(g, []string{"+", "-", "*", "&", "|", "^"}), g.val())
		case 1:
			g.out("(x.%s = %s)", m, g.val())
		case 2:
			g.out("x.%s++", m)
		default:
			g.out("-x.%s < %s", m, g.val())
		}
	}
	g.line("y = x;")
	for _, m := range members {
		g.out("y.%s", m)
	}
	g.end()
}

// A typ2 is the type of a bit-field and its greatest width here: wider ones have types of their own in GCC.
type typ2 struct {
	name string
	bits int
}

// byValue is structures as parameters and results.
func byValue(g *gen, name string) {
	typ, members := g.layout(false)
	f := g.prefix + g.id("f")
	var first variable
	for _, m := range members {
		if m.len == 0 {
			first = m
		}
	}
	g.line("static %s %s(%s a, %s const *b, int k) {", typ, f, typ, typ)
	if first.name != "" {
		g.line("\ta.%s %s= k;", first.name, pick(g, []string{"+", "^", ""}))
	}
	g.line("\tif (k > 0) return %s(a, b, -k);\n\tif (k & 1) return *b;\n\treturn a;\n}", f)
	g.begin(name)
	g.line("%s x, y, z[2];", typ)
	g.fill("x.", members)
	g.fill("y.", members)
	g.line("int k = (short)%s;", g.val())
	g.line("z[0] = %s(x, &y, k);", f)
	g.line("z[1] = k & 2 ? x : %s(z[0], &x, 1);", f)
	g.show("x.", members)
	g.show("z[0].", members)
	g.show("z[1].", members)
	if first.name != "" {
		g.out("%s(y, &x, 4).%s", f, first.name)
		g.out("(k & 4 ? x : y).%s", first.name)
	}
	g.end()
}
