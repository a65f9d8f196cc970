package imp

import (
	"github.com/fencepost-verifier/fencepost/internal/text"
	"github.com/fencepost-verifier/fencepost/program"
)

// Outline lists the names that a program declares, or a file that programs include, labels among
// them, with those of the files that it includes. The error is a [*program.Diagnostic] where it is no program.
func Outline(src *program.Source, include ...Include) (all []program.Declaration, err error) {
	defer text.Recover(&err)
	f, src := tree(src, last(include))
	add := func(name, kind string, at program.Position) {
		all = append(all, program.Declaration{Name: name, Kind: kind, Pos: at, Source: src.File(at)})
	}
	for _, c := range f.consts {
		add(c.name, "constant", c.at)
	}
	declare := func(gs []*variables, kind string) {
		for _, g := range gs {
			for _, v := range g.vars {
				add(v.name, kind, v.at)
			}
		}
	}
	declare(f.vars, "shared variable")
	within := func(name string, at, end program.Position, locals []*variables, body []*stmt, extra func()) {
		from := len(all)
		extra()
		declare(locals, "local variable")
		var labels func(ss []*stmt)
		labels = func(ss []*stmt) {
			for _, s := range ss {
				for _, l := range s.labels {
					add(l.name, "label", l.at)
				}
				blocks(s.do, labels)
			}
		}
		labels(body)
		for i := from; i < len(all); i++ {
			all[i].Inside, all[i].From, all[i].To = name, at.Line, end.Line
		}
	}
	for _, p := range f.subs {
		add(p.name, "procedure", p.at)
		within(p.name, p.at, p.end, p.locals, p.body, func() {
			for _, x := range p.params {
				add(x.name, "parameter", x.at)
			}
		})
	}
	for _, p := range f.procs {
		add(p.name, "process", p.at)
		within(p.name, p.at, p.end, p.locals, p.body, func() {
			if p.param != "" {
				add(p.param, "index", p.paramAt)
			}
		})
	}
	return all, nil
}
