package c

import (
	"strings"

	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// With _FORTIFY_SOURCE the headers of the C library of GNU have functions that call others with the size of what is written to, as far
// as the compiler knows it: memcpy is __builtin___memcpy_chk there, which may end as __memcpy_chk. They end the program where more is written.

// inlineOnly is true of a definition that is nothing but what a compiler may put in the place of a call, of a function that the library has:
// it is the one of the library that counts.
func (u *unit) inlineOnly(f *cc.FunctionDefinition) bool {
	name := f.Declarator.Name()
	return u.isBuiltin(name) && !stubborn[name] && u.attributed("gnu_inline", f.DeclarationSpecifiers, f.Declarator) != nil
}

// unchecked are the functions that have such a companion: which of its arguments are more than theirs, and which is how many bytes
// are written at most, where one says so.
var unchecked = map[string]struct {
	more  []int
	bytes int
}{
	"memcpy": {[]int{3}, 2}, "memmove": {[]int{3}, 2}, "memset": {[]int{3}, 2}, "read": {[]int{3}, 2},
	"strcpy": {[]int{2}, -1}, "strcat": {[]int{2}, -1}, "strncpy": {[]int{3}, 2}, "strncat": {[]int{3}, -1},
	"sprintf": {[]int{1, 2}, -1}, "vsprintf": {[]int{1, 2}, -1}, "snprintf": {[]int{2, 3}, 1}, "vsnprintf": {[]int{2, 3}, 1},
	"printf": {[]int{0}, -1}, "fprintf": {[]int{1}, -1}, "vprintf": {[]int{0}, -1}, "vfprintf": {[]int{1}, -1},
}

// fortifyBuiltins are these companions of the functions in all.
func fortifyBuiltins(all map[string]builtin) map[string]builtin {
	m := map[string]builtin{"__builtin_object_size": {2, objectSize}, "__builtin_dynamic_object_size": {2, objectSize}}
	for name, with := range unchecked {
		plain := all[name]
		size := with.more[len(with.more)-1]
		b := builtin{^(size + 1), func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
			var rest []cc.ExpressionNode
			for i, a := range args {
				if i < with.more[0] || i > size {
					rest = append(rest, a)
				}
			}
			if with.bytes >= 0 {
				room, k := l.size(args[size]), l.size(args[with.bytes])
				l.at(n)
				l.assert(flowgraph.Fold(bin(program.ULe, k.e, room.e)), "%s of more than there is room for", name)
			}
			if plain.args >= 0 && plain.args != len(rest) {
				l.u.fail(n, "", "%s is called with %d arguments", called(n), len(args))
			}
			return plain.do(l, n, rest)
		}}
		m["__"+name+"_chk"], m["__builtin___"+name+"_chk"] = b, b
	}
	return m
}

// objectSize is what is known of the size of what is pointed to: that of a variable. The argument is not evaluated.
func objectSize(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
	kind, ok := l.u.constantMaybe(args[1])
	if !ok || kind < 0 || kind > 3 {
		l.u.fail(n, "", "the second argument is none of 0 to 3")
	}
	var d *cc.Declarator
	if x := addressed(args[0]); x != nil {
		d = identifier(x)
	} else if x := identifier(args[0]); x != nil && l.typeOf(args[0]).Kind == types.ArrayKind {
		d = x
	}
	if d != nil {
		if t := l.variable(n, d).t; !t.Incomplete() && t.Kind != types.FunctionKind {
			return number(types.UnsignedLong, t.Size)
		}
	}
	if kind < 2 {
		return number(types.UnsignedLong, -1)
	}
	return number(types.UnsignedLong, 0)
}

// otherName is the name without the prefix by which GCC knows a function of the library.
func otherName(name string) string {
	if plain, ok := strings.CutPrefix(name, "__builtin_"); ok && prefixedNames[plain] {
		return plain
	}
	return name
}

// prefixedNames are the functions that GCC has with a prefix, too.
var prefixedNames = func() map[string]bool {
	m := map[string]bool{}
	for name := range strings.FieldsSeq(`abort abs calloc exit free malloc memchr memcmp memcpy mempcpy memmove memset printf putchar puts realloc
		snprintf sprintf strcat strchr strcmp strcpy strlen strncat strncmp strncpy strrchr vprintf vsnprintf vsprintf`) {
		m[name] = true
	}
	return m
}()
