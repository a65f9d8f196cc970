package syntax

import (
	"fmt"
	"strings"

	"github.com/fencepost-verifier/fencepost/program"
)

// balance finds brackets that do not match: the parser may not come to an end
// where one is not closed.
func balance(src *program.Source) *program.Diagnostic {
	type open struct {
		c    byte
		at   int
		line int
	}
	var stack []open
	s := src.Text
	fail := func(at int, msg string) *program.Diagnostic {
		return &program.Diagnostic{Source: src, Msg: msg, Pos: positionOf(s, at)}
	}
	statement := 0   // where the last statement began
	conditional := 0 // open #if: branches of it may hold brackets that do not match
	bol := true
	line := 1
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c == ';' || c == '{' || c == '}' || c == ',' {
			statement = i
		}
		if i-statement > maxExpression {
			return fail(statement, fmt.Sprintf("an expression of more than %d KiB", maxExpression>>10))
		}
		switch {
		case c == '\n':
			bol = true
			line++
			continue
		case c == ' ' || c == '\t' || c == '\r':
			continue
		case c == '#' && bol:
			end := i + 1
			for end < len(s) && s[end] != '\n' {
				if s[end] == '\\' && end+1 < len(s) {
					end++
				}
				if strings.HasPrefix(s[end:], "/*") {
					n := strings.Index(s[end+2:], "*/")
					if n < 0 {
						return fail(end, "a comment that does not end")
					}
					end += n + 3
				}
				end++
			}
			end = min(end, len(s))
			if strings.HasPrefix(strings.TrimLeft(s[i+1:end], " \t"), "if") {
				conditional++
			}
			line += strings.Count(s[i:end], "\n")
			statement += end - i
			i = end - 1
			continue
		case strings.HasPrefix(s[i:], "/*"):
			n := strings.Index(s[i+2:], "*/")
			if n < 0 {
				return fail(i, "a comment that does not end")
			}
			line += strings.Count(s[i:i+n+4], "\n")
			statement += n + 3
			i += n + 3
			continue
		case strings.HasPrefix(s[i:], "//"):
			n := strings.IndexByte(s[i:], '\n')
			if n < 0 {
				i = len(s)
			} else {
				statement += n - 1
				i += n - 1
			}
			continue
		case c == '"' || c == '\'':
			end := i + 1
			for end < len(s) && s[end] != c && s[end] != '\n' {
				if s[end] == '\\' {
					end++
				}
				end++
			}
			if end >= len(s) || s[end] != c {
				if conditional > 0 {
					return nil
				}
				return fail(i, fmt.Sprintf("a %c that is not closed on its line", c))
			}
			i = end
		case c == '(' || c == '[' || c == '{':
			stack = append(stack, open{c, i, line})
			if len(stack) > maxNesting {
				return fail(i, fmt.Sprintf("brackets nested deeper than %d", maxNesting))
			}
		case c == ')' || c == ']' || c == '}':
			want := map[byte]byte{')': '(', ']': '[', '}': '{'}[c]
			if len(stack) == 0 || stack[len(stack)-1].c != want {
				if conditional > 0 {
					return nil
				}
				if len(stack) == 0 {
					return fail(i, fmt.Sprintf("%c closes nothing", c))
				}
				o := stack[len(stack)-1]
				return fail(i, fmt.Sprintf("%c does not close the %c of line %d", c, o.c, o.line))
			}
			stack = stack[:len(stack)-1]
		}
		bol = false
	}
	if len(stack) > 0 && conditional == 0 {
		o := stack[len(stack)-1]
		return fail(o.at, fmt.Sprintf("%c is not closed", o.c))
	}
	return nil
}
