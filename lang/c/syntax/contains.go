package syntax

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/fencepost-verifier/fencepost/program"
)

// contains finds a member that is a whole structure which is not complete there, as in
// "struct s { struct s s; }", in a preprocessed text: the parser, which takes it, would make copies of
// copies for ever. So it does of "struct s { struct s; }", where the member has no name; and for the elements of
// "struct t a[2] = { 1 }" it looks for members for ever, if t has none. A structure that is complete in any place before
// counts as complete.
func contains(src *program.Source) *program.Diagnostic {
	s := src.Text
	if !strings.Contains(s, "struct") && !strings.Contains(s, "union") {
		return nil
	}
	c := containment{src: src, text: s, complete: map[string]bool{}, alias: map[string]string{}}
	words(s, func(from, to int) {
		c.tokens = append(c.tokens, from)
		c.words = append(c.words, s[from:to])
	})
	c.block(false)
	return c.found
}

// A containment is such a search. It goes through tokens in the order of the text.
type containment struct {
	src      *program.Source
	text     string
	tokens   []int // where they begin
	words    []string
	next     int
	complete map[string]bool   // tags
	alias    map[string]string // the tag of the structure that a name stands for
	unnamed  int
	found    *program.Diagnostic
}

// words calls f for what C takes together in a text, but for comments and directives: names, literals of text, and other characters
// one by one. (Each program is gone through, with all that it includes: a regular expression takes a tenth of the time of reading it.)
func words(s string, f func(from, to int)) {
	for i := 0; i < len(s); {
		if i == 0 || s[i-1] == '\n' {
			if k := i + len(s[i:]) - len(strings.TrimLeft(s[i:], " \t")); k < len(s) && s[k] == '#' {
				i = past(s, k, '\n')
				continue
			}
		}
		from := i
		switch ch := s[i]; {
		case strings.IndexByte(" \t\n\f\r#", ch) >= 0:
			i++
			continue
		case strings.HasPrefix(s[i:], "//"):
			if k := strings.IndexByte(s[i:], '\n'); k >= 0 {
				i += k
			} else {
				i = len(s)
			}
			continue
		case strings.HasPrefix(s[i:], "/*") && strings.Contains(s[i+2:], "*/"):
			i += 2 + strings.Index(s[i+2:], "*/") + 2
			continue
		case ch == '"' || ch == '\'':
			if i = past(s, i+1, ch) + 1; i > len(s) { // it does not end
				i = from + 1
			}
		case letter(ch):
			for i < len(s) && (letter(s[i]) || '0' <= s[i] && s[i] <= '9') {
				i++
			}
		default:
			_, size := utf8.DecodeRuneInString(s[i:])
			i += size
		}
		f(from, i)
	}
}

// past is where the first such character is from i on that has no backslash before it, or the end.
func past(s string, i int, end byte) int {
	for ; i < len(s) && s[i] != end; i++ {
		if s[i] == '\\' {
			i++
		}
	}
	return min(i, len(s))
}

func letter(ch byte) bool { return 'a' <= ch|0x20 && ch|0x20 <= 'z' || ch == '_' }

// block goes to the end of a block, or of the members of a structure, and past the brace.
func (c *containment) block(members bool) {
	for c.next < len(c.words) && c.found == nil {
		if c.words[c.next] == "}" {
			c.next++
			return
		}
		c.declaration(members)
	}
}

// declaration goes to the end of what may be a declaration.
func (c *containment) declaration(member bool) {
	synonym := c.words[c.next] == "typedef"
	tag := "" // of the structure that is declared, once it is known
	var rest []int
	for known := false; c.next < len(c.words) && c.found == nil; {
		w := c.words[c.next]
		switch {
		case w == ";":
			c.next++
			c.declare(tag, rest, member, synonym)
			return
		case w == "}":
			c.declare(tag, rest, member, synonym) // GCC takes the last member without its semicolon
			return
		case w == "{": // a block, or what a variable begins with
			c.next++
			c.block(false)
			if !slices.ContainsFunc(rest, func(i int) bool { return c.words[i] == "=" }) {
				return
			}
			continue
		case w == "__attribute__" || w == "__attribute" || w == "_Alignas" || w == "__declspec":
			c.next++
			c.parentheses()
			continue
		case (w == "struct" || w == "union") && !known:
			known = true
			c.next++
			tag = c.specifier()
			continue
		case !known && basic[w]:
			known = true
		case !known && !qualifying[w] && w != "(" && w != ")":
			if tag, known = c.alias[w], true; tag != "" {
				c.next++
				continue
			}
		}
		if at := c.unknownElements(c.next); at > 0 {
			what, last := "an array", c.next-1
			if last > at {
				what = c.words[last]
			}
			c.noSize(what, c.words[at], last)
			return
		}
		rest = append(rest, c.next)
		c.next++
	}
}

// noSize says, at a word, that an array is of a structure without members.
func (c *containment) noSize(array, tag string, word int) {
	c.found = &program.Diagnostic{Source: c.src, Msg: fmt.Sprintf("the elements of %s have a type without a size", array),
		Hint: "the structure or union " + tag + " has to be defined before", Pos: positionOf(c.text, c.tokens[word])}
}

// unknownElements is where the tag is in "struct t [2]" or "struct t a[2]", in an expression too, of which the bracket is word i, and no t has members in
// the whole text.
func (c *containment) unknownElements(i int) (tag int) {
	if c.words[i] != "[" {
		return 0
	}
	for tag = i - 1; tag > 0 && tag >= i-2 && letter(c.words[tag][0]); tag-- {
		if before := c.words[tag-1]; before != "struct" && before != "union" {
			continue
		}
		for k, w := range c.words[:len(c.words)-1] {
			if w == c.words[tag] && c.words[k+1] == "{" {
				return 0
			}
		}
		return tag
	}
	return 0
}

// parentheses goes past them.
func (c *containment) parentheses() {
	for depth := 0; c.next < len(c.words); {
		switch c.words[c.next] {
		case "(":
			depth++
		case ")":
			depth--
		}
		if depth == 0 && c.words[c.next] != ")" {
			return
		}
		if c.next++; depth == 0 {
			return
		}
	}
}

// specifier is the tag of the structure whose name or members come next.
func (c *containment) specifier() string {
	tag := ""
	for c.next < len(c.words) {
		switch w := c.words[c.next]; {
		case w == "__attribute__" || w == "__attribute" || w == "_Alignas" || w == "__declspec":
			c.next++
			c.parentheses()
			continue
		case w == "{":
			if tag == "" {
				c.unnamed++
				tag = fmt.Sprint(c.unnamed)
			}
			c.next++
			c.block(true)
			c.complete[tag] = true
		case tag == "":
			tag = w
			c.next++
			continue
		}
		break
	}
	return tag
}

// basic is the words after which what comes is no name of a type.
var basic = map[string]bool{"void": true, "_Bool": true, "char": true, "short": true, "int": true, "long": true, "signed": true, "unsigned": true,
	"float": true, "double": true, "__int128": true, "__signed__": true}

// typing is the words that a type in parentheses comes after.
var typing = map[string]bool{"_Atomic": true, "typeof": true, "__typeof": true, "__typeof__": true}

// declare knows what is declared to be a structure with that tag, or something else.
func (c *containment) declare(tag string, rest []int, member, synonym bool) {
	nothing := !slices.ContainsFunc(rest, func(i int) bool { return !qualifying[c.words[i]] })
	if member && tag != "" && nothing && !c.complete[tag] && !strings.HasPrefix(tag, packName) && c.found == nil {
		c.found = &program.Diagnostic{Source: c.src, Msg: "a member declares nothing", Pos: positionOf(c.text, c.tokens[c.next-1])}
		return
	}
	pointer, depth, name := false, 0, -1
	array, value := false, false
	typed, all := 0, false // inside "_Atomic(..)" or "typeof(..)", what is declared is all pointers
	end := func() {
		if name >= 0 && synonym {
			delete(c.alias, c.words[name])
			if tag != "" && !pointer && !all {
				c.alias[c.words[name]] = tag
			}
		}
		if name >= 0 && member && tag != "" && !pointer && !all && !c.complete[tag] && c.found == nil {
			c.found = &program.Diagnostic{Source: c.src, Msg: fmt.Sprintf("the member %s has a type without a size", c.words[name]),
				Pos: positionOf(c.text, c.tokens[name])}
		}
		if name >= 0 && !member && !synonym && array && value && tag != "" && !pointer && !all && !c.complete[tag] && c.found == nil {
			c.noSize(c.words[name], tag, name)
		}
		pointer, name, array, value = false, -1, false, false
	}
	for k, i := range rest {
		switch w := c.words[i]; {
		case w == "(" || w == "[":
			array = array || w == "[" && name >= 0 && depth == 0 && !value
			if depth++; k > 0 && typed == 0 && typing[c.words[rest[k-1]]] {
				typed = depth
			}
		case w == ")" || w == "]":
			if typed == depth {
				typed = 0
			}
			depth--
		case typed > 0:
			all = all || w == "*"
		case w == "*" && name < 0:
			pointer = true
		case w == "," && depth == 0:
			end()
		case w == "=" && depth == 0:
			value = true
		case name < 0 && !qualifying[w] && (w[0] == '_' || w[0] >= 'A'):
			name = i
		}
	}
	end()
}
