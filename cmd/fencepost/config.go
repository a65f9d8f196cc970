package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v3"

	"github.com/fencepost-verifier/fencepost"
)

// configName is the file that check reads where nobody says what to check.
const configName = "fencepost.yaml"

// A file of settings is a list of checks. Each has files and, by their names, flags of check;
// a flag with several values stands for as many checks.
//
//	checks:
//	  - files: [locks/..., queue.c]
//	    model: [sc, tso]
//	    timeout: 60s
//	    define: {N: 3}

// maxConfig bounds the size of a file of settings.
const maxConfig = 1 << 20

// A setting is a check that a file of settings asks for.
type setting struct {
	flags [][]string // what each flag may be: "--model=sc", "--model=tso"
	files []string
	at    int // the line
}

// checkConfigured does what a file of settings says. Flags of the command line hold for all checks.
func (a *app) checkConfigured(cmd *cobra.Command, path string, args []string) error {
	if len(args) > 0 {
		return errors.New("--config: the files stand there; leave out " + args[0])
	}
	if path == "" {
		if _, err := os.Stat(configName); err != nil {
			return errors.New("no file given (./... stands for all below this folder; fencepost init begins one)")
		}
		path = configName
	}
	settings, err := readConfig(path, cmd.Flags())
	if err != nil {
		return err
	}
	for _, s := range settings {
		if name := s.writes(); name != "" {
			return fmt.Errorf("%s:%d: %s says what is written: say --%s on the command line", path, s.at, name, name)
		}
	}
	var shared []string
	cmd.Flags().Visit(func(f *pflag.Flag) {
		switch f.Name {
		case "config", "define", "include":
			if f.Name != "config" {
				err = fmt.Errorf("--%s: with --config it stands in %s", f.Name, path)
			}
		default:
			shared = append(shared, "--"+f.Name+"="+given(f.Value))
		}
	})
	if err != nil {
		return err
	}
	for _, s := range settings { // before the work
		for flags := range product(s.flags) {
			if err := flagError(cmd, a.checkCommand().ParseFlags(flags)); err != nil {
				return fmt.Errorf("%s:%d: %w", path, s.at, err)
			}
		}
	}
	outer := a.inner
	a.inner = true
	defer func() { a.inner = outer }()
	got := map[int]bool{}
	for _, s := range settings {
		for flags := range product(s.flags) {
			sub := a.checkCommand()
			sub.SilenceErrors, sub.SilenceUsage = true, true
			sub.SetFlagErrorFunc(flagError)
			sub.SetOut(a.stdout)
			sub.SetErr(a.stderr)
			sub.SetArgs(slices.Concat(shared, flags, []string{"--"}, s.files))
			a.status = exitSafe
			if err := sub.ExecuteContext(cmd.Context()); err != nil {
				return fmt.Errorf("%s:%d: %w", path, s.at, err)
			}
			got[a.status] = true
			if cmd.Context().Err() != nil {
				break
			}
		}
	}
	a.end(got)
	return nil
}

// given is the text that sets v to what it is.
func given(v pflag.Value) string {
	switch v.(type) {
	case *limit, *bytesize:
		if v.String() == "" { // no limit
			return "0"
		}
	}
	return v.String()
}

// product yields every choice of one word of each list.
func product(lists [][]string) func(yield func([]string) bool) {
	return func(yield func([]string) bool) {
		var words []string
		var choose func(i int) bool
		choose = func(i int) bool {
			if i == len(lists) {
				return yield(words)
			}
			for _, w := range lists[i] {
				words = append(words, w)
				if !choose(i + 1) {
					return false
				}
				words = words[:len(words)-1]
			}
			return true
		}
		choose(0)
	}
}

// readConfig reads a file of settings. Files are named from the folder of that file.
func readConfig(path string, flags *pflag.FlagSet) ([]setting, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fencepost.Unreadable(path, err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxConfig+1))
	switch {
	case err != nil:
		return nil, fencepost.Unreadable(path, err)
	case len(text) > maxConfig:
		return nil, fmt.Errorf("%s: too large: more than %d MiB", path, maxConfig>>20)
	}
	checks, err := readChecks(string(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	var all []setting
	for i, c := range checks {
		s, err := readSetting(c, flags)
		switch {
		case err != nil:
		case len(s.files) == 0:
			err = errors.New("files are missing")
		default:
			s.files, err = located(filepath.Dir(path), s.files)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: check %d: %w", path, i+1, err)
		}
		all = append(all, s)
	}
	return all, nil
}

// readChecks is the list of checks, and nothing else is in the file.
func readChecks(text string) ([]map[string]yaml.Node, error) {
	plain := func(err error) error {
		return errors.New(strings.TrimPrefix(strings.Join(strings.Fields(err.Error()), " "), "yaml: "))
	}
	var top, rest yaml.Node
	dec := yaml.NewDecoder(strings.NewReader(text))
	if err := dec.Decode(&top); err != nil && !errors.Is(err, io.EOF) {
		return nil, plain(err)
	}
	if err := dec.Decode(&rest); err == nil {
		return nil, fmt.Errorf("line %d: a second document; all checks stand in the first", rest.Line)
	} else if !errors.Is(err, io.EOF) {
		return nil, plain(err)
	}
	none := errors.New("there are no checks (checks: [{files: [..]}])")
	if top.IsZero() {
		return nil, none
	}
	var named map[string]yaml.Node
	if err := top.Decode(&named); err != nil {
		return nil, none
	}
	for name, n := range named {
		if name != "checks" {
			return nil, fmt.Errorf("line %d: %q is not known here%s", n.Line, name, didYouMean(name, []string{"checks"}, ""))
		}
	}
	n := named["checks"]
	var checks []map[string]yaml.Node
	if err := n.Decode(&checks); err != nil {
		return nil, fmt.Errorf("line %d: checks: want a list, each with files and flags of check: %s", n.Line, strings.ReplaceAll(plain(err).Error(), "yaml.Node", "settings"))
	}
	if len(checks) == 0 {
		return nil, none
	}
	return checks, nil
}

// resolved is what a name of YAML stands for.
func resolved(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

// writes is a flag of the setting that names what is written, which a file of settings does not: whoever checks what
// somebody else has sent may find one in it.
func (s *setting) writes() string {
	for _, words := range s.flags {
		for _, w := range words {
			name, _, _ := strings.Cut(strings.TrimPrefix(w, "--"), "=")
			if slices.Contains([]string{"certificate", "graph", "html", "proof", "save-run", "spill"}, name) {
				return name
			}
		}
	}
	return ""
}

// maxProduct bounds what a check with several values of its flags stands for.
const maxProduct = 10_000

// readSetting reads one check.
func readSetting(c map[string]yaml.Node, flags *pflag.FlagSet) (s setting, err error) {
	var names []string
	for name := range c {
		names = append(names, name)
	}
	slices.Sort(names)
	all := 1
	for _, name := range names {
		node := c[name]
		if s.at == 0 || node.Line < s.at {
			s.at = node.Line
		}
		node = *resolved(&node)
		if name == "files" {
			if s.files, err = scalars(&node); err != nil {
				return s, fmt.Errorf("line %d: files: %w", node.Line, err)
			}
			continue
		}
		f := flags.Lookup(name)
		if f != nil && slices.Contains([]string{"cache", "output", "quiet"}, name) {
			return s, fmt.Errorf("line %d: %s holds for all checks: say --%s on the command line", node.Line, name, name)
		}
		if f == nil || slices.Contains([]string{"config", "help"}, name) {
			var known []string
			flags.VisitAll(func(f *pflag.Flag) {
				if f.Name != name {
					known = append(known, f.Name)
				}
			})
			return s, fmt.Errorf("line %d: %q is not a setting of check%s", node.Line, name, didYouMean(name, append(known, "files"), ""))
		}
		var values []string
		if node.Kind == yaml.MappingNode { // define: {N: 3}, all of them at once
			for i := 0; i+1 < len(node.Content); i += 2 {
				if v := resolved(node.Content[i+1]); v.Kind != yaml.ScalarNode {
					return s, fmt.Errorf("line %d: %s: want one word for %s", v.Line, name, node.Content[i].Value)
				}
				s.flags = append(s.flags, []string{"--" + name + "=" + node.Content[i].Value + "=" + resolved(node.Content[i+1]).Value})
			}
			continue
		}
		if values, err = scalars(&node); err != nil {
			return s, fmt.Errorf("line %d: %s: %w", node.Line, name, err)
		}
		if name == "include" {
			for _, v := range values {
				s.flags = append(s.flags, []string{"--include=" + v})
			}
			continue
		}
		for i, v := range values {
			values[i] = "--" + name + "=" + v
		}
		s.flags = append(s.flags, values)
		if all *= len(values); all > maxProduct {
			return s, fmt.Errorf("line %d: %s: with the others that is more than %d checks", node.Line, name, maxProduct)
		}
	}
	return s, nil
}

// scalars are the words of a node: one, or a list.
func scalars(n *yaml.Node) ([]string, error) {
	switch n.Kind {
	case yaml.ScalarNode:
		return []string{n.Value}, nil
	case yaml.SequenceNode:
		var all []string
		for _, c := range n.Content {
			if c = resolved(c); c.Kind != yaml.ScalarNode {
				return nil, errors.New("want a word or a list of words, and not at line " + strconv.Itoa(c.Line))
			}
			all = append(all, c.Value)
		}
		if len(all) > 0 {
			return all, nil
		}
	}
	return nil, errors.New("want a word or a list of words")
}

// located names files from the folder dir, which patterns and DIR/... may stand for.
func located(dir string, names []string) (files []string, err error) {
	for _, name := range names {
		path := filepath.FromSlash(name)
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		if strings.HasSuffix(name, everywhere) {
			files = append(files, path)
			continue
		}
		found, err := filepath.Glob(path)
		if err != nil {
			return nil, fmt.Errorf("files: %q is no pattern", name)
		}
		if len(found) == 0 {
			return nil, fmt.Errorf("files: there is no %s", path)
		}
		files = append(files, found...)
	}
	return files, nil
}
