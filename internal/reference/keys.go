package reference

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// FinalKeys prints final states as [Search] does, sorted.
func FinalKeys(t testing.TB, p *program.Program, fs []verdict.FinalState) []string {
	t.Helper()
	r, err := program.Analyse(p)
	if err != nil {
		t.Fatal(err)
	}
	var keys []string
	for _, f := range fs {
		var b strings.Builder
		for ti, th := range p.Threads {
			for i := range th.Regs {
				if !th.Regs[i].Temp {
					fmt.Fprintf(&b, "%d:%s=%d ", ti, th.Regs[i].Name, f.Regs[ti][i])
				} else if f.Regs[ti][i] != 0 {
					t.Errorf("temporary %s is %d", th.Regs[i].Name, f.Regs[ti][i])
				}
			}
		}
		for i, c := range r.Cells {
			if f.Memory[i] != 0 {
				fmt.Fprintf(&b, "[%d]=%d ", c.Addr, f.Memory[i])
			}
		}
		keys = append(keys, b.String())
	}
	slices.Sort(keys)
	if n := len(keys); len(slices.Compact(slices.Clone(keys))) != n {
		t.Errorf("a final state is listed twice")
	}
	return keys
}

// ViolationKey names a violation as [Search] does.
func ViolationKey(p *program.Program, v *verdict.Violation) string {
	if v.Property != nil {
		for i := range p.Properties {
			if v.Property == &p.Properties[i] {
				return fmt.Sprintf("property %d", i)
			}
		}
		return "no such property"
	}
	if v.Kind == program.Fault {
		return "fault"
	}
	return "assertion"
}

// Dump prints p command by command.
func Dump(p *program.Program) string {
	var b strings.Builder
	for _, c := range p.Memory {
		fmt.Fprintf(&b, "%s@%d = %d %+v\n", c.Name, c.Addr, c.Init, c.Type)
	}
	for _, t := range p.Threads {
		fmt.Fprintf(&b, "thread %s, initially q%d\n", t.Name, t.Initial)
		for i := range t.Edges {
			e := &t.Edges[i]
			fmt.Fprintf(&b, "  q%d  %s  -> q%d\n", e.From, e.Cmd.Format(p, t), e.To)
		}
	}
	for _, pr := range p.Properties {
		fmt.Fprintf(&b, "%s %v\n", pr.Kind, pr.Cond)
	}
	return b.String()
}
