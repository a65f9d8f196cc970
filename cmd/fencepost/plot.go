package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/fencepost-verifier/fencepost"
)

// A span is values that a constant is to have, one after the other.
type span struct {
	name   string
	lo, hi int64
}

// mostValues is how many that may be.
const mostValues = 100

func (s *span) Type() string { return "NAME=LO..HI" }

func (s *span) String() string {
	if s.name == "" {
		return ""
	}
	return fmt.Sprintf("%s=%d..%d", s.name, s.lo, s.hi)
}

func (s *span) Set(text string) error {
	key, values, ok := strings.Cut(text, "=")
	lo, hi, ok2 := strings.Cut(values, "..")
	a, err := strconv.ParseInt(lo, 10, 64)
	b, err2 := strconv.ParseInt(hi, 10, 64)
	if !ok || !ok2 || err != nil || err2 != nil || !name.MatchString(key) || b <= a || b-a >= mostValues {
		return fmt.Errorf("want a constant and the values that it is to have, as in N=1..5, not %q", text)
	}
	*s = span{key, a, b}
	return nil
}

func (s *span) values() (all []int64) {
	for v := s.lo; v <= s.hi; v++ {
		all = append(all, v)
	}
	return all
}

// plots sees to it, before the work, that there can be a plot, where one is asked for.
func (e *exploration) plots() error {
	switch {
	case e.plot == "" && e.over.name == "":
		return nil
	case e.plot == "":
		return errors.New("--over: it is for --plot FILE.svg")
	case e.over.name == "":
		return errors.New("--plot: over which constant? --over N=1..5")
	case filepath.Ext(e.plot) != ".svg":
		return fmt.Errorf("--plot: want a file .svg, not %q", e.plot)
	case e.format() != fencepost.Text:
		return errors.New("--plot: the output is text then; leave --output out")
	}
	if _, ok := e.defines.values[e.over.name]; ok {
		return fmt.Errorf("--over: %s has a value by -D as well", e.over.name)
	}
	return writable(e.plot)
}

// plotFile explores a program with each value of a constant, and draws the curves. Who is not
// done with one value is not asked about the next.
func (a *app) plotFile(ctx context.Context, e *exploration, ways []fencepost.Counting, file string) (int, error) {
	values := e.over.values()
	all := make([][]*fencepost.Exploration, len(values))
	got := map[int]bool{}
	ways = slices.Clone(ways)
	given := e.defines.values
	defer func() { e.defines.values = given }()
	for i, v := range values {
		e.defines.values = map[string]int64{e.over.name: v}
		for k, g := range given {
			e.defines.values[k] = g
		}
		s, err := a.open(ctx, e.job, file)
		if err != nil {
			return 0, err
		}
		for k := 0; k < len(ways); k++ {
			x, err := e.explore(s, ways[k])
			var refused *fencepost.Diagnostic
			if err != nil && !(e.table && errors.As(err, &refused)) {
				s.close()
				return 0, err
			}
			if err != nil || x.Verdict() == fencepost.IsUnknown {
				ways = slices.Delete(ways, k, k+1)
				k--
			}
			if err == nil {
				got[status(x.Verdict())] = true
				all[i] = append(all[i], x)
			}
		}
		s.close()
		if len(all[i]) == 0 {
			values, all = values[:i], all[:i]
			break
		}
		fmt.Fprintf(a.stdout, "%s = %d\n\n", e.over.name, v)
		if err := fencepost.PrintTable(a.stdout, all[i], fencepost.Style{Width: width(a.stdout)}); err != nil {
			return written(0, err)
		}
		fmt.Fprintln(a.stdout)
	}
	a.end(got)
	var b bytes.Buffer
	title := fmt.Sprintf("%s under %s", filepath.Base(file), strings.ToUpper(string(e.model)))
	if err := fencepost.PlotExplorations(&b, title, e.over.name, values, all); err != nil {
		fmt.Fprintf(a.stderr, "fencepost: %s: no exploration has come to its end; allow more time, or smaller values\n", file)
		return exitUnknown, nil
	}
	if err := os.WriteFile(e.plot, b.Bytes(), 0o666); err != nil {
		return written(0, &outputError{e.plot, err})
	}
	return a.status, nil
}
