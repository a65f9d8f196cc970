package randc

import "fmt"

// doubleWords is integers of two words: what is computed with them and converted to them and from them, and how they lie in memory.
func doubleWords(g *gen, name string) {
	types := []string{"__int128", "unsigned __int128", "__int128", "unsigned __int128", "long", "u32", "i8"}
	vars := make([]string, len(types))
	value := func() string {
		v := g.val()
		switch g.rng.IntN(4) {
		case 0:
			return fmt.Sprintf("((unsigned __int128)%s << 64 | %s)", v, g.val())
		case 1:
			return fmt.Sprintf("((__int128)%s << (%s & 63))", v, g.val())
		}
		return v
	}
	record := g.prefix + g.id("w")
	if g.p(50) {
		g.line("static struct { u8 before; %s whole; u16 behind; } %s = { 1, %d, 3 };", pick(g, types[:4]), record, g.rng.IntN(9)-4)
	} else {
		g.line("static union { %s whole; struct { u64 low, high; } s; u32 quarter[4]; } %s = { %d };", pick(g, types[:4]), record, g.rng.IntN(9)-4)
	}
	g.begin(name)
	for i, t := range types {
		vars[i] = g.id("w")
		g.line("%s %s = %s;", t, vars[i], value())
	}
	vars = append(vars, record+".whole")
	var expr func(depth int) string
	expr = func(depth int) string {
		if depth == 0 {
			if g.p(20) {
				return value()
			}
			return pick(g, vars)
		}
		x, y := expr(depth-1), expr(depth-1)
		switch g.rng.IntN(12) {
		case 0:
			return fmt.Sprintf("(%s%s)", pick(g, []string{"-", "~", "!", "+"}), x)
		case 1:
			return fmt.Sprintf("((%s)%s)", pick(g, append(types, "_Bool", "int")), x)
		case 2, 3:
			return fmt.Sprintf("(%s %s (%s & (sizeof(%s) < 4 ? 31 : sizeof(%s) * 8 - 1)))", x, pick(g, []string{"<<", ">>"}), y, x, x)
		case 4:
			return fmt.Sprintf("(%s ? %s : %s)", expr(depth-1), x, y)
		case 5:
			return fmt.Sprintf("(%s %s %s)", x, pick(g, []string{"&&", "||"}), y)
		}
		return fmt.Sprintf("(%s %s %s)", x, pick(g, []string{"+", "-", "*", "&", "|", "^", "<", ">", "<=", ">=", "==", "!="}), y)
	}
	for range 2 + g.rng.IntN(3) {
		v := pick(g, vars)
		switch g.rng.IntN(5) {
		case 0:
			g.line("%s%s;", v, pick(g, []string{"++", "--"}))
		case 1:
			g.line("%s %s= %s;", v, pick(g, []string{"+", "-", "*", "&", "|", "^"}), expr(1))
		case 2:
			g.line("%s %s= %s & 31;", v, pick(g, []string{"<<", ">>"}), expr(1))
		default:
			g.line("%s = %s;", v, expr(2))
		}
	}
	for i, v := range vars {
		g.out("%s", v)
		if i < 4 || i == len(types) {
			g.out("%s >> 64", v)
		}
	}
	g.out("sizeof(%s) + sizeof %s", expr(1), record)
	g.end()
}
