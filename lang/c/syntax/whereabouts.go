package syntax

import (
	"slices"
	"strings"

	"modernc.org/cc/v4"
)

// maxParsed is how many parts of a text are parsed to find where it is wrong.
const maxParsed = 64

// whereabouts is where the statement or declaration begins that the parser has no message for, or none with a place: the first one up to which the
// program is wrong in that way, or the parser comes to grief where it does so in the end. It is looked for by parsing parts of the text, with what comes
// after them left out; -1: it is not found in so many of them.
func whereabouts(cfg *cc.Config, sources []cc.Source, grief bool) int {
	all, _ := sources[len(sources)-1].Value.(string)
	var ends, begins []int  // of what ends with ; or }
	var rest, open []string // what the braces want that are open then
	parens, begin, before := 0, -1, ""
	words(all, func(from, to int) {
		if begin < 0 {
			begin = from
		}
		switch all[from:to] {
		case "(":
			parens++
		case ")":
			parens--
		case "{":
			end := "}"
			if before == "do" {
				end = "} while (0);"
			}
			open = append(open, end)
			if parens == 0 {
				begin = -1
			}
		case "}":
			open = open[:max(len(open)-1, 0)]
		}
		before = all[from:to]
		if parens == 0 && (before == ";" || before == "}") {
			wanted := ""
			for _, end := range open {
				wanted = end + wanted
			}
			ends, begins, rest = append(ends, to), append(begins, begin), append(rest, wanted)
			begin = -1
		}
	})
	const fine, wrong, unclear = 0, 1, 2
	known := map[int]int{}
	judge := func(k int) (is int) {
		if is, ok := known[k]; ok {
			return is
		}
		if len(known) == maxParsed {
			return unclear
		}
		defer func() {
			if recover() != nil {
				if is = unclear; grief {
					is = wrong
				}
			}
			known[k] = is
		}()
		part := slices.Clone(sources)
		part[len(part)-1].Value = all[:ends[k]] + rest[k] + directives(all[ends[k]:])
		switch _, err := cc.Translate(cfg, part); {
		case err == nil:
			return fine
		case !grief && placeless(err):
			return wrong
		}
		return unclear
	}
	// Up to lo the text is not wrong, up to hi it is.
	lo, hi := -1, len(ends)-1
	if hi < 0 || judge(hi) != wrong {
		return -1
	}
	for hi-lo > 1 {
		mid := lo + (hi-lo)/2
		k := mid
		for k > lo && judge(k) == unclear {
			k--
		}
		if k == lo { // whatever is cut off there, it is no program
			if k = mid + 1; k == hi {
				break
			}
			for k < hi && judge(k) == unclear {
				k++
			}
			if k == hi {
				break
			}
		}
		if judge(k) == wrong {
			hi = k
		} else {
			lo = k
		}
	}
	if len(known) == maxParsed {
		return -1
	}
	return begins[lo+1]
}

// directives are the lines of a text that are for the preprocessor.
func directives(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if strings.HasPrefix(strings.TrimLeft(line, " \t"), "#") {
			b.WriteString("\n" + line)
		}
	}
	return b.String()
}

// placeless is whether the first message of the parser has no place.
func placeless(err error) bool {
	line, _, _ := strings.Cut(strings.TrimSpace(err.Error()), "\n")
	return !errorPos.MatchString(line)
}
