package syntax

import (
	"strings"
	"unicode"

	"github.com/fencepost-verifier/fencepost/program"
)

// stops are the characters before one of which, or a name or a number, the parser is done with
// what qualifies a pointer.
const stops = ":),[]('\""

// qualifying are words of C that are no names, so that the parser goes on after them. Those that
// begin expressions count as well: none of them is the last word of a program.
var qualifying = func() map[string]bool {
	words := map[string]bool{}
	for w := range strings.FieldsSeq(`_Alignas _Alignof _Atomic _Bool _Complex _Decimal128 _Decimal32 _Decimal64 _Float128 _Float128x _Float16
		_Float32 _Float32x _Float64 _Float64x _Generic _Imaginary _Nonnull _Noreturn _Static_assert _Thread_local
		__alignof __alignof__ __asm __asm__ __attribute __attribute__ __auto_type __bf16 __complex __complex__ __const __const__
		__declspec __extension__ __float128 __fp16 __imag __imag__ __inline __inline__ __int128 __int128_t __label__ __real __real__
		__restrict __restrict__ __signed __signed__ __thread __typeof __typeof__ __uint128_t __volatile __volatile__ asm auto
		break case char const continue default do double else enum extern float for goto if inline int long register restrict
		return short signed sizeof static struct switch typedef typeof union unsigned void volatile while`) {
		words[w] = true
	}
	return words
}()

// dangling finds a pointer at the end of a text without comments that nothing comes after but
// punctuation and words of C, as in "int *": the parser, which looks for what qualifies it, would
// not come to an end.
func dangling(src *program.Source) *program.Diagnostic {
	s := src.Text
	at := strings.LastIndexAny(s, "*^")
	if at < 0 {
		return nil
	}
	tail := s[at+1:]
	if strings.ContainsAny(tail, stops) {
		return nil
	}
	part := func(r rune) bool { return r == '_' || r == '$' || unicode.IsLetter(r) || unicode.IsDigit(r) }
	for _, word := range strings.FieldsFunc(tail, func(r rune) bool { return !part(r) }) {
		if !qualifying[word] {
			return nil
		}
	}
	return &program.Diagnostic{Source: src, Pos: positionOf(s, at),
		Msg: "what comes after this " + s[at:at+1] + " is missing"}
}
