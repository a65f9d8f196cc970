package main

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/fencepost-verifier/fencepost"
	"github.com/fencepost-verifier/fencepost/internal/suggest"
)

// A choice is the value of a flag that takes one of a few words.
type choice struct {
	what  string // for messages
	long  bool   // there are too many words for the list of flags
	value string
	known []string
	also  func(string) bool // accepts further words; may be nil
}

func (c *choice) String() string { return c.value }
func (c *choice) Type() string {
	if c.long {
		return strings.ToUpper(c.what)
	}
	return strings.Join(c.known, "|")
}
func (c *choice) completions() []string { return c.known }

func (c *choice) Set(s string) error {
	for _, k := range c.known {
		if s == k {
			c.value = s
			return nil
		}
	}
	if c.also != nil && c.also(s) {
		c.value = s
		return nil
	}
	return fmt.Errorf("unknown %s %q%s (known: %s)", c.what, s, didYouMean(s, c.known, ""), strings.Join(c.known, ", "))
}

// A modelFlag is a memory model: one that is built in, or a file.
type modelFlag fencepost.Model

func (m *modelFlag) String() string        { return string(*m) }
func (m *modelFlag) Type() string          { return "MODEL" }
func (m *modelFlag) completions() []string { return words(fencepost.Models()...) }
func (m *modelFlag) files() bool           { return true } // as well

func (m *modelFlag) Set(s string) error {
	model, err := fencepost.ParseModel(s)
	if err != nil {
		known := m.completions()
		return fmt.Errorf("unknown memory model %q%s (known: %s, and files that end in .cat)", s, didYouMean(s, known, ""), strings.Join(known, ", "))
	}
	*m = modelFlag(model)
	return nil
}

// words is the values of a type of names.
func words[S ~string](values ...S) (ss []string) {
	for _, v := range values {
		ss = append(ss, string(v))
	}
	return ss
}

// A count is a number from 0.
type count int

func (c *count) String() string { return strconv.Itoa(int(*c)) }
func (c *count) Type() string   { return "N" }

func (c *count) Set(s string) error {
	n, err := strconv.ParseInt(s, 10, 32)
	if err != nil || n < 0 {
		return fmt.Errorf("want a number from 0, not %q", s)
	}
	*c = count(n)
	return nil
}

// A limit is a time; a number without a unit counts seconds.
type limit time.Duration

func (l *limit) String() string {
	if *l == 0 {
		return ""
	}
	return time.Duration(*l).String()
}
func (l *limit) Type() string { return "DURATION" }

func (l *limit) Set(s string) error {
	d, err := time.ParseDuration(s)
	if err != nil {
		d, err = time.ParseDuration(s + "s")
	}
	if err != nil || d < 0 {
		return fmt.Errorf("want a time such as 90, 90s or 5m, not %q", s)
	}
	*l = limit(d)
	return nil
}

// A bytesize is an amount of memory.
type bytesize int64

func (b *bytesize) String() string {
	if *b == 0 {
		return ""
	}
	return strconv.FormatInt(int64(*b), 10)
}
func (b *bytesize) Type() string { return "SIZE" }

func (b *bytesize) Set(s string) error {
	digits := strings.ToUpper(s)
	digits = strings.TrimSuffix(strings.TrimSuffix(digits, "B"), "I")
	shift := 0
	if i := strings.IndexByte("KMGT", last(digits)); i >= 0 {
		shift = 10 * (i + 1)
		digits = digits[:len(digits)-1]
	}
	n, err := strconv.ParseFloat(digits, 64)
	n *= float64(int64(1) << shift)
	if err != nil || !(n >= 0 && n < math.MaxInt64) {
		return fmt.Errorf("want a size such as 512M or 4G, not %q", s)
	}
	if n > 0 && n < minMemory {
		return fmt.Errorf("%s is too little: the process takes at least %dM (a size without K, M, G or T counts bytes)", s, minMemory>>20)
	}
	*b = bytesize(n)
	return nil
}

func last(s string) byte {
	if s == "" {
		return 0
	}
	return s[len(s)-1]
}

// defines are the values of -D, and what else there is to say about how a text is read.
type defines struct {
	values   map[string]int64
	c        fencepost.C
	property fencepost.Property
	model    fencepost.Model // what a text is read for; may be empty
}

// flags adds the flags.
func (d *defines) flags(f *pflag.FlagSet) {
	f.VarP(d, "define", "D", "give a constant its value, as in -D N=3, or a macro of C; repeatable")
	f.VarP(&includes{&d.c.Include}, "include", "I", "look for what a program includes, and for models, in DIR, too; repeatable")
	f.StringVar(&d.c.Std, "std", "", "the `STANDARD` of C: c99, c11, ..")
	f.BoolVar(&d.c.Overflow, "check-overflow", false, "a signed integer of C that overflows is a violation")
	f.BoolVar(&d.c.Uninitialised, "check-uninitialised", false, "a read of what is not initialised is a violation (C)")
	f.BoolVar(&d.c.Leaks, "check-leaks", false, "memory that is not freed in the end is a violation (C)")
	f.BoolVar(&d.c.Spurious, "spurious", false, "a weak compare-exchange of C may fail without a reason")
	f.StringArrayVar(&d.c.Args, "arg", nil, "an argument for main, as `TEXT` (C); repeatable")
	f.Var(&mapping{&d.c.Mapping}, "mapping", "what a seq_cst store of C is on x86")
}

// includes are directories with headers of C and models.
type includes struct{ headers *[]string }

func (i *includes) String() string { return "" }
func (i *includes) Type() string   { return "DIR" }
func (i *includes) Set(dir string) error {
	searchModels(dir)
	*i.headers = append(*i.headers, dir)
	return nil
}

// searchModels is where the folders of models go.
var searchModels = fencepost.SearchModels

// includeModels adds the flag where there are no headers.
func includeModels(f *pflag.FlagSet) {
	f.VarP(&includes{new([]string)}, "include", "I", "look for models, and for what they include, in DIR, too; repeatable")
}

// A mapping is the name of one.
type mapping struct{ name *string }

func (m *mapping) String() string {
	if m.name == nil {
		return ""
	}
	return *m.name
}
func (m *mapping) Type() string          { return strings.Join(m.completions(), "|") }
func (m *mapping) completions() []string { return []string{"xchg", "mfence"} }

func (m *mapping) Set(s string) error {
	c := choice{what: "mapping", known: m.completions()}
	if err := c.Set(s); err != nil {
		return err
	}
	*m.name = s
	return nil
}

// set is the option.
func (d defines) set(o *fencepost.Options) {
	o.Defines, o.C, o.Property = d.values, d.c, d.property
	if d.model != "" {
		o.Model = d.model
	}
}

func (d *defines) String() string { return "" }
func (d *defines) Type() string   { return "NAME[=VALUE]" }

// name is what can be defined.
var name = regexp.MustCompile(`^[A-Za-z_][A-Za-z_0-9]*$`)

func (d *defines) Set(s string) error {
	key, value, ok := strings.Cut(s, "=")
	key = strings.TrimSpace(key)
	if !name.MatchString(key) {
		return fmt.Errorf("want NAME=VALUE, as in N=3, not %q", s)
	}
	v, err := strconv.ParseInt(strings.TrimSpace(value), 0, 64)
	if !ok || err != nil {
		d.c.Macros = append(d.c.Macros, s) // of C
		return nil
	}
	if d.values == nil {
		d.values = map[string]int64{}
	}
	d.values[key] = v
	return nil
}

// A solverName is the name of a SAT back end that can be had.
type solverName string

func (n *solverName) String() string        { return string(*n) }
func (n *solverName) Type() string          { return "NAME" }
func (n *solverName) completions() []string { return fencepost.Solvers() }

func (n *solverName) Set(s string) error {
	if err := fencepost.TrySolver(s); err != nil {
		return errors.New(strings.TrimPrefix(err.Error(), "solver: "))
	}
	*n = solverName(s)
	return nil
}

// flagError says what is wrong with a flag, in terms of what could have been
// meant.
func flagError(cmd *cobra.Command, err error) error {
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	var unknown *pflag.NotExistError
	var invalid *pflag.InvalidValueError
	switch {
	case errors.As(err, &unknown):
		if unknown.GetSpecifiedShortnames() != "" {
			return fmt.Errorf("unknown flag -%s", unknown.GetSpecifiedName())
		}
		return fmt.Errorf("unknown flag --%s%s", unknown.GetSpecifiedName(), didYouMean(unknown.GetSpecifiedName(), names, "--"))
	case errors.As(err, &invalid):
		f := invalid.GetFlag()
		if word, _, _ := strings.Cut(f.Shorthand+invalid.GetValue(), "="); word == f.Name {
			return fmt.Errorf("unknown flag -%s; did you mean --%s?", f.Name, f.Name)
		}
		return fmt.Errorf("--%s: %w", f.Name, invalid.Unwrap())
	}
	return err
}

// didYouMean is a remark about the one of known that is most like s, or nothing.
func didYouMean(s string, known []string, prefix string) string {
	if k := suggest.Nearest(s, known); k != "" {
		return "; did you mean " + prefix + k + "?"
	}
	return ""
}
