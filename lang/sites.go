package lang

import "github.com/fencepost-verifier/fencepost/program"

// Sites are where a fence can be put into the source of p, which was read with these constants
// and settings.
func Sites(p *program.Program, defines map[string]int64, settings ...C) []program.Site {
	f := language(p)
	if f.SitesC == nil {
		return sites(p, f.Sites)
	}
	var s C
	if len(settings) > 0 {
		s = settings[0]
	}
	return f.SitesC(p, defines, s)
}

// Fences are the full fences of p's source that can be taken out.
func Fences(p *program.Program) []program.Site { return sites(p, language(p).Fences) }

// Exchanges are the stores of p's source of which an exchange can be made: the
// assignments of IMP, and in C the stores that name a weaker order.
func Exchanges(p *program.Program) []program.Site { return sites(p, language(p).Exchanges) }

// Strengthenings are the ways to make the source of p order more, in languages that have
// fences and access modes of many kinds. The error is a [program.Diagnostic], about a text in which there is no
// room for them.
func Strengthenings(p *program.Program) ([]program.Strengthening, error) {
	if f := language(p); f.Strengthenings != nil {
		return f.Strengthenings(p)
	}
	return nil, nil
}

// Orderings are those ways where operations of C11 are meant, in C as well.
func Orderings(p *program.Program, defines map[string]int64, settings C) ([]program.Strengthening, error) {
	if f := language(p); f.Orderings != nil {
		return f.Orderings(p, defines, settings), nil
	}
	return Strengthenings(p)
}

// Strengthens is whether p is of such a language.
func Strengthens(p *program.Program) bool { return language(p).Strengthenings != nil }

func sites(p *program.Program, of func(*program.Program) []program.Site) []program.Site {
	if of == nil {
		return nil
	}
	return of(p)
}

// language is the front end that p is from.
func language(p *program.Program) *frontEnd {
	f, err := byName(p.Source.Name)
	if err != nil {
		return &frontEnd{}
	}
	return f
}
