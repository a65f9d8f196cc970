package randc

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Headers is what the programs of [Pieces] include; it comes before [Types].
const Headers = `#define _GNU_SOURCE
#include <ctype.h>
#include <limits.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
`

// Pieces makes a program of a few small functions, each of which is about one construct of the language, of
// GNU C or of the library, with random types and values. It needs [Headers] and [Types].
func Pieces(rng *rand.Rand, prefix string) Program {
	g := &gen{rng: rng, prefix: prefix, noCalls: true}
	for range 2 + g.rng.IntN(3) {
		g.global()
	}
	globals := len(g.vars)
	run := ""
	for range 2 + g.rng.IntN(3) {
		if g.p(30) {
			g.record()
			g.records = nil // nothing but these pieces
		}
		name := g.prefix + g.id("piece")
		at := g.b.Len()
		pick(g, pieces)(g, name)
		text := g.b.String()
		g.b.Reset()
		g.b.WriteString(text[:at])
		for ; g.named < len(g.results); g.named++ {
			g.line("static u64 %s;", g.results[g.named])
		}
		g.b.WriteString(text[at:])
		g.vars = g.vars[:globals]
		run += "\t" + name + "();\n"
		if g.p(50) {
			s, _, _, _ := g.assign(g.free(2))
			if s != "" {
				run += "\t" + s + ";\n"
			}
		}
	}
	g.line("static void %srun(void) {\n%s}", g.prefix, run)
	return Program{Name: prefix + "run", Text: g.b.String(), Results: g.results}
}

// pieces are the functions that write one: at file scope what they need, and a function of the given name.
var pieces = []func(g *gen, name string){
	// the library
	varargs, sorted, tokens, stringFunctions, printedText, reallocated, growing, copied, parsed,
	// layouts
	packed, flexible, byteBuffer, paddings, overlapping, bitFields, byValue, doubleWords,
	// the language
	gnuConditional, compoundLiterals, designated, functionPointers, ranges, statementExpressions,
	generic, sizes, conversions, builtins, syncs, pointers, literals, macros, recursion, tailCalls, lists, memory,
}

// begin begins the function of a piece, and end ends it.
func (g *gen) begin(name string) { g.line("static void %s(void) {", name); g.indent++ }
func (g *gen) end()              { g.indent--; g.line("}") }

// out stores a value in a result.
func (g *gen) out(format string, args ...any) {
	name := fmt.Sprintf("%so%d", g.prefix, len(g.results))
	g.results = append(g.results, name)
	g.line("%s = (u64)(%s);", name, fmt.Sprintf(format, args...))
}

// value of some integer type, without effects.
func (g *gen) val() string { return g.expr(context{depth: g.rng.IntN(3), pure: true}).s }

// small is a value from 0 to n-1 that is not a constant, as a rule.
func (g *gen) small(n int) string {
	if g.p(20) {
		return fmt.Sprint(g.rng.IntN(n))
	}
	return fmt.Sprintf("(int)((unsigned long)%s %% %d)", g.val(), n)
}

// plain is an integer type that is not _Bool, and wide one of at least 32 bits.
func (g *gen) plain() *typ { return pick(g, types[1:]) }
func (g *gen) wide() *typ {
	return pick(g, []*typ{intT, uintT, longT, ulongT, llongT, ullngT})
}

// text is a string literal.
func (g *gen) text(most int) string {
	var b strings.Builder
	for range g.rng.IntN(most + 1) {
		b.WriteString(pick(g, []string{"a", "b", "c", "A", "Z", " ", ",", ";", "0", "1", "9", "-", "\\n", "\\t", "x", "ab", "\\377", "\\\\"}))
	}
	return `"` + b.String() + `"`
}

// digest gives a result for all elements of an array.
func (g *gen) digest(array, n string) {
	h, i := g.id("h"), g.id("i")
	g.line("u64 %s = 7;", h)
	g.line("for (int %s = 0; %s < (int)(%s); %s++) %s = %s * 31 + (u64)%s[%s];", i, i, n, i, h, h, array, i)
	g.out("%s", h)
}

// layout declares a structure of scalars and arrays with attributes, and gives its type and members.
func (g *gen) layout(attributes bool) (string, []variable) {
	tag := "struct " + g.prefix + g.id("s")
	attr := func(of []string, percent int) string {
		if attributes && g.p(percent) {
			return " " + pick(g, of)
		}
		return ""
	}
	var members []variable
	g.line("%s {", tag)
	for i := range 1 + g.rng.IntN(5) {
		m := variable{name: fmt.Sprintf("m%d", i), t: g.typ()}
		dim := ""
		if g.p(25) {
			m.len = 1 + g.rng.IntN(4)
			dim = fmt.Sprintf("[%d]", m.len)
		}
		g.line("\t%s%s %s%s%s;", strings.TrimLeft(attr([]string{"_Alignas(8)", "_Alignas(16)", "_Alignas(long)"}, 10)+" ", " "), g.write(m.t), m.name, dim,
			attr([]string{"__attribute__((packed))", "__attribute__((aligned(16)))", "__attribute__((aligned(4), packed))", "__attribute__((__aligned__))"}, 20))
		members = append(members, m)
	}
	g.line("}%s;", attr([]string{"__attribute__((packed))", "__attribute__((packed))", "__attribute__((aligned(32)))", "__attribute__((packed, aligned(2)))"}, 50))
	return tag, members
}

// fill assigns to all members of an object, and show gives results for them.
func (g *gen) fill(object string, members []variable) {
	for _, m := range members {
		if m.len > 0 {
			for i := range m.len {
				g.line("%s%s[%d] = %s;", object, m.name, i, g.val())
			}
			continue
		}
		g.line("%s%s = %s;", object, m.name, g.val())
	}
}

func (g *gen) show(object string, members []variable) {
	for _, m := range members {
		if m.len > 0 {
			g.digest(object+m.name, fmt.Sprint(m.len))
			continue
		}
		g.out("%s%s", object, m.name)
	}
}
