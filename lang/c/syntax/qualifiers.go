package syntax

import "strings"

// The parser knows no typeof of a type that begins with a qualifier, and no such type in __builtin_types_compatible_p. It does where the qualifier comes second,
// which is the same type, takes as many characters, and so leaves what comes after it in its column.

// qualifiersLast is a text in which "typeof(const int)" is "typeof(int const)".
func qualifiersLast(text string) string {
	if !strings.Contains(text, "typeof") && !strings.Contains(text, "types_compatible") || !strings.Contains(text, "const") && !strings.Contains(text, "volatile") {
		return text
	}
	var from, to []int
	words(text, func(a, b int) { from, to = append(from, a), append(to, b) })
	word := func(i int) string {
		if i >= len(from) {
			return ""
		}
		return text[from[i]:to[i]]
	}
	b := []byte(text)
	last := func(i int) { // of the type that begins with the word i
		t := i
		for qualifies(word(t)) {
			t++
		}
		end := t
		if w := word(t); w == "struct" || w == "union" || w == "enum" {
			end++
		}
		if t == i || word(end) == "" || !letter(word(end)[0]) || strings.Contains(word(end), "typeof") {
			return
		}
		qualifiers := text[from[i]:to[t-1]]
		copy(b[from[i]:], text[from[t]:to[end]]+text[to[t-1]:from[t]]+qualifiers)
	}
	for i := range from {
		switch word(i) {
		case "typeof", "__typeof", "__typeof__":
			if word(i+1) == "(" {
				last(i + 2)
			}
		case "__builtin_types_compatible_p":
			depth := 0
			for k := i + 1; k < len(from); k++ {
				switch w := word(k); {
				case w == "(":
					depth++
				case w == ")":
					depth--
				}
				if depth == 0 {
					break
				}
				if depth == 1 && (word(k) == "(" || word(k) == ",") {
					last(k + 1)
				}
			}
		}
	}
	return string(b)
}

func qualifies(word string) bool {
	switch word {
	case "const", "__const", "__const__", "volatile", "__volatile", "__volatile__":
		return true
	}
	return false
}
