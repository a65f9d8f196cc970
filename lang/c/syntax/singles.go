package syntax

import "modernc.org/cc/v4"

// maxBraces is how many pairs of braces more than one may be around a value.
const maxBraces = 4

// translateSingles has the parser read sources, of which the last is the program. The parser comes to grief where a value that is all that an array of characters
// is given has braces of its own, as in "char a[4] = {{0}}" (C11, 6.7.9p11): it reads the text without these then.
func translateSingles(cfg *cc.Config, sources []cc.Source) (ast *cc.AST, err error) {
	attempt := func() (crash any) {
		defer func() { crash = recover() }()
		ast, err = cc.Translate(cfg, sources)
		return nil
	}
	crash := attempt()
	program := &sources[len(sources)-1]
	for range maxBraces {
		text, _ := program.Value.(string)
		without := unbraced(text)
		if crash == nil || without == text {
			break
		}
		program.Value = without
		crash = attempt()
	}
	if crash != nil {
		panic(crash)
	}
	return ast, err
}

// unbraced is a text with spaces for the braces around a value that is alone in a list, also behind the index of an element.
func unbraced(text string) string {
	type span struct{ from, to int }
	var all []span
	words(text, func(from, to int) { all = append(all, span{from, to}) })
	word := func(i int) string {
		if i < 0 || i >= len(all) {
			return ""
		}
		return text[all[i].from:all[i].to]
	}
	without := []byte(text)
	for i := range all {
		first := i // of what is in the list
		if word(i-1) == "=" && word(i-2) == "]" {
			for first = i - 2; first > 0 && word(first) != "["; first-- {
			}
		}
		if word(i) != "{" || word(first-1) != "{" {
			continue
		}
		last, depth := i+1, 0
	value:
		for ; last < len(all); last++ {
			switch w := word(last); {
			case w == "(":
				depth++
			case w == ")":
				depth--
			case w == "{", w == "}", w == ";", w == "," && depth == 0:
				break value
			}
		}
		next := last + 1
		if word(next) == "," {
			next++
		}
		if word(last) == "}" && word(next) == "}" && last > i+1 {
			without[all[i].from], without[all[last].from] = ' ', ' '
		}
	}
	return string(without)
}
