package litmus

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// A shownValue is how to print a location.
type shownValue struct {
	name     string
	exprs    []program.Expr
	vector   bool
	unsigned bool
}

// An Outcome is what herd7 reports of the final states of a test.
type Outcome struct {
	// States is the final states that pass the filter, each once, in the
	// order of herd7.
	States []string
	// Observation is Never, Sometimes or Always: in how many of them the
	// condition holds.
	Observation string
	// Ok is whether the test has what its Kind asks for.
	Ok bool
}

// Outcome sums up the final states of the program, which are by cell of
// program.Analyse, as those of package explore are.
func (t *Test) Outcome(all []verdict.FinalState) Outcome {
	type row struct {
		values []int64
		text   string
	}
	var rows []row
	var yes, no int
	for _, fs := range all {
		env := t.env(fs)
		if f := t.Program.Filter; f != nil && program.Eval(f, env) == 0 {
			continue
		}
		if program.Eval(t.cond, env) != 0 {
			yes++
		} else {
			no++
		}
		values := t.values(env)
		rows = append(rows, row{values, t.format(values)})
	}
	slices.SortFunc(rows, func(x, y row) int {
		return slices.CompareFunc(x.values, y.values, t.compareValues)
	})
	o := Outcome{Observation: "Sometimes"}
	for _, r := range rows {
		if n := len(o.States); n == 0 || o.States[n-1] != r.text {
			o.States = append(o.States, r.text)
		}
	}
	switch {
	case yes == 0:
		o.Observation = "Never"
	case no == 0:
		o.Observation = "Always"
	}
	switch t.Kind {
	case Allowed:
		o.Ok = yes > 0
	case Forbidden:
		o.Ok = yes == 0
	case Required:
		o.Ok = no == 0
	}
	return o
}

// State is a final state as herd7 prints it: the values of the [Test.Locations],
// such as
//
//	0:rax=0; [x]=1;
func (t *Test) State(fs verdict.FinalState) string { return t.format(t.values(t.env(fs))) }

func (t *Test) env(fs verdict.FinalState) *program.Env { return fs.Env(t.Program.CellAt) }

// values is the values of what is shown, one after the other.
func (t *Test) values(env *program.Env) []int64 {
	var vs []int64
	for _, w := range t.shown {
		for _, e := range w.exprs {
			vs = append(vs, program.Eval(e, env))
		}
	}
	return vs
}

func (t *Test) format(values []int64) string {
	var b strings.Builder
	for i, w := range t.shown {
		if i > 0 {
			b.WriteByte(' ')
		}
		parts := make([]string, len(w.exprs))
		for j := range parts {
			parts[j] = t.formatValue(values[j], w.unsigned)
		}
		values = values[len(parts):]
		s := strings.Join(parts, ",")
		if w.vector {
			s = "{" + s + "}"
		}
		b.WriteString(w.name + "=" + s + ";")
	}
	return b.String()
}

// symbol is the variable that a value is an address of, or nil.
func (t *Test) symbol(v int64) *variable {
	if x := t.vars.at(v); x != nil && x.taken {
		return x
	}
	return nil
}

func (t *Test) formatValue(v int64, unsigned bool) string {
	if l := t.labels[v]; l != "" {
		return l
	}
	if x := t.symbol(v); x != nil {
		if off := v - x.addr; off != 0 {
			return fmt.Sprintf("%s+%d", x.name, off)
		}
		return x.name
	}
	if unsigned {
		return strconv.FormatUint(uint64(v), 10)
	}
	return strconv.FormatInt(v, 10)
}

// compareValues is the order of herd7: numbers before addresses.
func (t *Test) compareValues(v, w int64) int {
	switch a, b := t.labels[v] != "", t.labels[w] != ""; {
	case a && b:
		return t.compareLabels(v, w)
	case a:
		return 1
	case b:
		return -1
	}
	if (t.symbol(v) != nil) != (t.symbol(w) != nil) {
		if t.symbol(v) == nil {
			return -1
		}
		return 1
	}
	return cmp.Compare(v, w)
}

// Counts is whether a final state passes the filter.
func (t *Test) Counts(fs verdict.FinalState) bool {
	return t.Program.Filter == nil || program.Eval(t.Program.Filter, t.env(fs)) != 0
}

// Asks is whether the condition holds in a final state.
func (t *Test) Asks(fs verdict.FinalState) bool { return program.Eval(t.cond, t.env(fs)) != 0 }
