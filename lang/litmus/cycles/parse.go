package cycles

import (
	"fmt"
	"strings"
)

// Parse reads a cycle as [Cycle.String] writes it, such as PodWW Rfe DpAddrdRR Fre. Where
// accesses have modes, these stand behind the letters, in one of their edges or in both, as in
// PodWWL Rfe PodRAR Fre.
func Parse(a *Arch, s string) (*Cycle, error) {
	words := strings.Fields(s)
	c := &Cycle{arch: a, nodes: make([]node, len(words))}
	for i, w := range words {
		next := (i + 1) % len(words)
		e, ends, ok := a.edge(w)
		if !ok {
			return nil, fmt.Errorf("%s: %q is no edge of %s", s, w, a.Of)
		}
		c.nodes[i].kind, c.nodes[i].deco = e.kind, e.deco
		if ends == "" {
			if e.kind.external() || e.kind >= rfi {
				c.nodes[i].write = e.kind.from(true)
				c.nodes[next].write = e.kind.to(true)
				continue
			}
			return nil, fmt.Errorf("%s: %q does not say what it relates", s, w)
		}
		rest, ok := a.end(&c.nodes[i], ends)
		if ok {
			rest, ok = a.end(&c.nodes[next], rest)
		}
		if !ok || rest != "" {
			return nil, fmt.Errorf("%s: %q does not say what it relates", s, w)
		}
	}
	for i, x := range c.nodes {
		to := c.nodes[(i+1)%len(c.nodes)].write
		if !x.kind.from(x.write) || !x.kind.to(to) || x.deco > 0 && !a.decos[x.deco].fits(&x, to) {
			return nil, fmt.Errorf("%s: %q relates other accesses", s, words[i])
		}
	}
	if !c.closed() {
		return nil, fmt.Errorf("%s: this is no cycle of a test, whose last edge begins a new thread", s)
	}
	return c, nil
}

// edge is the kind and what is put to it of an edge, and what is left of its name.
func (a *Arch) edge(w string) (e node, ends string, ok bool) {
	for k, name := range kindNames {
		if ends, ok := strings.CutPrefix(w, name); ok {
			return node{kind: kind(k)}, ends, true
		}
	}
	best := 0
	for o, d := range a.decos {
		if rest, is := strings.CutPrefix(w, d.cycle); is && o > 0 && len(d.cycle) > best && rest != "" {
			k, known := map[byte]kind{'d': po, 's': pos}[rest[0]]
			if known {
				e, ends, ok, best = node{kind: k, deco: o}, rest[1:], true, len(d.cycle)
			}
		}
	}
	return e, ends, ok
}

// end reads R or W and a mode.
func (a *Arch) end(n *node, s string) (rest string, ok bool) {
	modes := a.loads
	switch {
	case strings.HasPrefix(s, "W"):
		n.write, modes = true, a.stores
	case !strings.HasPrefix(s, "R"):
		return s, false
	}
	rest = s[1:]
	best := 0
	for m := range modes {
		if name := modes[m].name; strings.HasPrefix(s[1:], name) && len(name) > best {
			n.mode, rest, best = m, s[1+len(name):], len(name)
		}
	}
	return rest, true
}
