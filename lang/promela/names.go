package promela

import (
	"fmt"
	"strings"
)

// keywords are the names that mean something to Spin, to the C compiler that
// translates the verifier that Spin writes, or to that verifier. The macros of
// the C library are among them, as the preprocessor runs over both texts; those
// that are all in capitals are left to isMacro.
var keywords = func() map[string]bool {
	m := map[string]bool{}
	for _, k := range strings.Fields(`
		active assert atomic bit bool break byte c_code c_decl c_expr c_state c_track chan d_proctype d_step do
		else empty enabled eval false fi for full get_priority goto hidden if init inline int len local ltl
		mtype nempty never nfull notrace np_ od of pc_value pid printf printm priority proctype provided
		return run select set_priority short show skip timeout trace true typedef unless unsigned xr xs
		auto case char const continue default double enum extern float long register restrict signed
		sizeof static struct switch union void volatile while asm typeof
		errno stdin stdout stderr linux unix i386 uchar ushort uint ulong P_tmpdir SpinVersion PanSource StackSize
		G_long G_int IfNotBlocked UnBlock Pclaim L_tmpnam L_ctermid L_cuserid A_V V_A TIMEOUT_F`) {
		m[k] = true
	}
	return m
}()

// macroPrefixes begin further macros, with a letter in lower case.
var macroPrefixes = []string{"_", "si_", "sa_", "st_", "sigev_", "minseq", "maxseq", "Air", "reached"}

// isMacro is true of what might be a macro: two or more characters, all
// capitals, digits and underscores.
func isMacro(s string) bool {
	for _, p := range macroPrefixes {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return len(s) > 1 && strings.ToUpper(s) == s
}

// labelPrefixes begin labels to which Spin gives a meaning.
var labelPrefixes = []string{"end", "progress", "accept"}

// names hands out identifiers, each once.
type names map[string]bool

// variable is an identifier for a variable. The verifier has them as they are,
// next to its macros.
func (n names) variable(want string) string {
	if isMacro(want) {
		want += "_v"
	}
	return n.identifier(want)
}

// identifier is want, or as near to it as an identifier that is free can be.
func (n names) identifier(want string) string {
	s := strings.Map(func(r rune) rune {
		if r == ']' {
			return -1
		}
		if r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, want)
	if s == "" || s[0] >= '0' && s[0] <= '9' || s[0] == '_' {
		s = "v" + s
	}
	if keywords[s] {
		s += "_v"
	}
	name := s
	for i := 2; n[name]; i++ {
		name = fmt.Sprintf("%s_%d", s, i)
	}
	n[name] = true
	return name
}

// label is an identifier for a control state: with end, one that begins as Spin
// asks of the labels where a process may stay.
func (n names) label(want string, end bool) string {
	if end {
		if !strings.HasPrefix(want, "end") {
			want = "end_" + want
		}
		return n.identifier(want)
	}
	for _, p := range labelPrefixes {
		if strings.HasPrefix(want, p) {
			want = "q_" + want
		}
	}
	return n.identifier(want)
}
