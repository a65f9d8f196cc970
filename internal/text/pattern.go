package text

import (
	"regexp"
	"sync"
)

// A Pattern is a regular expression that is compiled when it is first asked, so that those of
// one language cost nothing where another one is read.
type Pattern func() *regexp.Regexp

// NewPattern is that of an expression, which must be one.
func NewPattern(expr string) Pattern {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

// The methods are those of [regexp.Regexp].

func (p Pattern) MatchString(s string) bool                  { return p().MatchString(s) }
func (p Pattern) FindStringSubmatch(s string) []string       { return p().FindStringSubmatch(s) }
func (p Pattern) FindAllString(s string, n int) []string     { return p().FindAllString(s, n) }
func (p Pattern) FindAllStringIndex(s string, n int) [][]int { return p().FindAllStringIndex(s, n) }
func (p Pattern) ReplaceAllString(src, replacement string) string {
	return p().ReplaceAllString(src, replacement)
}
func (p Pattern) FindStringSubmatchIndex(s string) []int { return p().FindStringSubmatchIndex(s) }
func (p Pattern) FindAllStringSubmatchIndex(s string, n int) [][]int {
	return p().FindAllStringSubmatchIndex(s, n)
}
func (p Pattern) FindAllStringSubmatch(s string, n int) [][]string {
	return p().FindAllStringSubmatch(s, n)
}
