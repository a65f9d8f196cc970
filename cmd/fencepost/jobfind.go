package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/spf13/pflag"

	"github.com/fencepost-verifier/fencepost"
	"github.com/fencepost-verifier/fencepost/internal/include"
)

// A variable flag is one of check that has several values in a batch: there is a job for each.
type variable struct {
	of     *pflag.Flag // it says what a value may be
	values []string
}

func (v *variable) String() string { return strings.Join(v.values, ",") }

func (v *variable) Type() string {
	if v.of.NoOptDefVal != "" {
		return "bool" // as help has it
	}
	return v.of.Value.Type()
}

func (v *variable) completions() []string {
	if c, ok := v.of.Value.(interface{ completions() []string }); ok {
		return c.completions()
	}
	return nil
}

func (v *variable) files() bool {
	f, ok := v.of.Value.(interface{ files() bool })
	return ok && f.files()
}

func (v *variable) list() bool { return true }

// Set takes words with commas in between, but for the text of a macro and the name of a folder.
func (v *variable) Set(s string) error {
	all := []string{s}
	switch v.of.Name {
	case "define":
		if key, list, ok := strings.Cut(s, "="); ok {
			all = nil
			for x := range strings.SplitSeq(list, ",") {
				if _, err := strconv.ParseInt(x, 0, 64); err != nil {
					all = []string{s}
					break
				}
				all = append(all, key+"="+x)
			}
		}
	case "include":
	default:
		all = strings.Split(s, ",")
	}
	for _, x := range all {
		if err := v.of.Value.Set(x); err != nil {
			return err
		}
		if v.of.Name == "solver" && !slices.Contains(taskSolvers, x) {
			return fmt.Errorf("a batch has %s", strings.Join(taskSolvers, ", "))
		}
		v.values = append(v.values, x)
	}
	return nil
}

// variables adds the flags that tasks may have to f.
func variables(f *pflag.FlagSet, check *pflag.FlagSet) (all []*variable) {
	for _, name := range taskFlags["check"] {
		of := check.Lookup(name)
		v := &variable{of: of}
		usage := of.Usage
		if name == "jobs" {
			usage = "let a search use `N` cores (explicit, graphs, bmc)"
		}
		short := of.Shorthand
		if name == "jobs" { // too much like another one here
			short = ""
		}
		f.VarPF(v, name, short, usage).NoOptDefVal = of.NoOptDefVal
		all = append(all, v)
	}
	return all
}

// choices are the flags that a job has one of each, in their order.
func choices(all []*variable) (dims [][]string) {
	for _, v := range all {
		switch v.of.Name {
		case "define": // a choice for each name
			var names []string
			by := map[string][]string{}
			for _, x := range v.values {
				name, _, _ := strings.Cut(x, "=")
				if by[name] == nil {
					names = append(names, name)
				}
				by[name] = append(by[name], "--define="+x)
			}
			for _, n := range names {
				dims = append(dims, by[n])
			}
		case "include": // all of them at once
			for _, x := range v.values {
				dims = append(dims, []string{"--include=" + x})
			}
		default:
			var dim []string
			for _, x := range v.values {
				dim = append(dim, "--"+v.of.Name+"="+x)
			}
			if dim != nil {
				dims = append(dims, dim)
			}
		}
	}
	return dims
}

// A finder makes the tasks of a batch.
type finder struct {
	root    string // the folder from which files are named
	command string // of all files; "": litmus for litmus tests, and check for the others
	limits  []string
	texts   map[string]string // of files and headers, by name from the root
	warn    func(format string, args ...any)
}

// flagName is the name of --name=value.
func flagName(f string) string {
	name, _, _ := strings.Cut(strings.TrimPrefix(f, "--"), "=")
	return name
}

// of calls yield with the tasks of the settings, and their limits. A flag that none of the files has a
// use for is an error.
func (x *finder) of(settings []setting, yield func(t *task, limits []string) error) error {
	for _, s := range settings {
		files, err := x.files(s.files)
		if err != nil {
			return err
		}
		x.ahead(files)
		used := map[string]bool{}
		for _, file := range files {
			command := x.command
			if command == "" {
				command = "check"
				if strings.EqualFold(filepath.Ext(file), fencepost.LitmusExtension) && s.at == 0 {
					command = "litmus"
				}
			}
			var dims [][]string
			for _, dim := range s.flags {
				if name := flagName(dim[0]); slices.Contains(taskFlags[command], name) || slices.Contains(limitFlags, name) {
					dims = append(dims, dim)
					used[name] = true
				}
			}
			if err := x.product(command, file, dims, yield); err != nil {
				return err
			}
		}
		for _, dim := range s.flags {
			if name := flagName(dim[0]); !used[name] {
				return fmt.Errorf("--%s: there is no file here that it is for (litmus tests are run by litmus; --as check checks them)", name)
			}
		}
	}
	return nil
}

func (x *finder) product(command, file string, dims [][]string, yield func(t *task, limits []string) error) error {
	for flags := range product(dims) {
		t := &task{Command: command, File: file}
		limits := slices.Clone(x.limits)
		for _, f := range flags {
			if slices.Contains(limitFlags, flagName(f)) { // of the setting, in the place of that of the batch
				limits = append(slices.DeleteFunc(limits, func(l string) bool { return flagName(l) == flagName(f) }), f)
			} else {
				t.Flags = append(t.Flags, f)
			}
		}
		slices.Sort(limits)
		if err := x.fill(t); err != nil {
			return err
		}
		if err := yield(t, limits); err != nil {
			return err
		}
	}
	return nil
}

// files names the files from the root.
func (x *finder) files(names []string) (all []string, err error) {
	for _, name := range names {
		if info, err := os.Stat(name); err == nil && info.IsDir() {
			name = filepath.Join(name, everywhere)
		}
		found, err := expand([]string{name})
		if err != nil {
			return nil, err
		}
		for _, file := range found {
			if file, err = x.named(file); err != nil {
				return nil, err
			}
			all = append(all, file)
		}
	}
	return all, nil
}

// named is the name of a file from the root.
func (x *finder) named(file string) (string, error) {
	root, err := filepath.Abs(x.root)
	if err == nil {
		file, err = filepath.Abs(file)
	}
	if err != nil {
		return "", err
	}
	if rel, err := filepath.Rel(root, file); err == nil {
		file = rel
	}
	return filepath.ToSlash(file), nil
}

// place is where a file of that name is.
func (x *finder) place(name string) string {
	if path := filepath.FromSlash(name); filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(x.root, filepath.FromSlash(name))
}

// maxText is the size of the largest file that a task brings along, in bytes; larger ones are no
// programs.
const maxText = 16 << 20

// read is the text of a file by its name from the root.
func (x *finder) read(name string) (string, error) {
	name = cleanName(name)
	if text, ok := x.texts[name]; ok {
		return text, nil
	}
	text, err := readText(x.place(name))
	if err == nil {
		x.texts[name] = text
	}
	return text, err
}

// ahead reads files side by side: workers have nothing to do until all are read. What cannot be read is for
// [finder.read] to say.
func (x *finder) ahead(files []string) {
	all, n := make([]*string, len(files)), runtime.GOMAXPROCS(0)
	var wg sync.WaitGroup
	for k := range n {
		wg.Go(func() {
			for i := k; i < len(files); i += n {
				if text, err := readText(x.place(files[i])); err == nil {
					all[i] = &text
				}
			}
		})
	}
	wg.Wait()
	for i, text := range all {
		if text != nil {
			x.texts[cleanName(files[i])] = *text
		}
	}
}

func readText(path string) (string, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return "", err
	case !info.Mode().IsRegular() || info.Size() > maxText:
		return "", errors.New("it is no file, or too large")
	}
	b, err := os.ReadFile(path)
	return string(b), err
}

// including is how a text names another one: a line of C, with a name or with a macro, and two words of cat and
// IMP, wherever they stand; in IMP there may be comments between them.
var (
	including      = regexp.MustCompile(`(?m)^[ \t]*#?[ \t]*include[ \t]*(["<])([^">\n]+)[">]`)
	includingMacro = regexp.MustCompile(`(?m)^[ \t]*#[ \t]*include[ \t]+([A-Za-z_]\w*)`)
	includingModel = regexp.MustCompile(`\binclude\s*"([^"\n]+)"`)
	includingIMP   = regexp.MustCompile(`\binclude(?:\s|//.*\n|/\*(?s:.*?)\*/)*"([^"\n]+)"`)
)

// fill gives a task the texts that it reads.
func (x *finder) fill(t *task) error {
	text, err := x.read(t.File)
	if err != nil {
		return fencepost.Unreadable(x.place(t.File), err)
	}
	if !utf8.ValidString(t.File) {
		return fencepost.Unreadable(x.place(t.File), errors.New("its name is not UTF-8"))
	}
	t.Texts = texts{cleanName(t.File): text}
	var dirs []string
	for i, f := range t.Flags {
		if dir, ok := strings.CutPrefix(f, "--include="); ok {
			if dir, err = x.named(dir); err != nil {
				return err
			}
			dirs, t.Flags[i] = append(dirs, dir), "--include="+dir
		}
	}
	for i, f := range t.Flags {
		if value, ok := strings.CutPrefix(f, "--model="); ok && isModelFile(value) {
			model, err := x.model(t, value, dirs)
			if err != nil {
				return err
			}
			t.Flags[i] = "--model=" + model
		}
	}
	switch {
	case fencepost.IsC(t.File):
		x.headers(t, cleanName(t.File), dirs)
	case strings.EqualFold(filepath.Ext(t.File), ".imp"):
		x.included(t, cleanName(t.File), dirs)
	}
	return nil
}

// included adds the files that a program of IMP includes, as far as there are any.
func (x *finder) included(t *task, from string, dirs []string) {
	for _, m := range includingIMP.FindAllStringSubmatch(t.Texts[from], -1) {
		for _, dir := range append([]string{filepath.Dir(from)}, dirs...) {
			if name, ok := x.add(t, dir, m[1], append([]string{filepath.Dir(cleanName(t.File))}, dirs...)); ok {
				x.included(t, name, dirs)
			}
		}
	}
}

// headers adds what a text of C includes, whatever its conditions are, as far as there are files. A header
// that a macro names is any that the macro stands for in some line.
func (x *finder) headers(t *task, from string, dirs []string) {
	x.bring(t, from, dirs, including.FindAllStringSubmatch(t.Texts[from], -1))
	for _, m := range includingMacro.FindAllStringSubmatch(t.Texts[from], -1) { // the headers may define it
		named := x.namedBy(t, m[1])
		if len(named) == 0 {
			x.warn("%s includes a file that the macro %s names, and no line says which: the jobs do not have it", from, m[1])
		}
		x.bring(t, from, dirs, named)
	}
}

// bring adds headers by their names and the quotes around them.
func (x *finder) bring(t *task, from string, dirs []string, named [][]string) {
	for _, m := range named {
		in := dirs
		if m[1] == `"` {
			in = append([]string{cleanName(filepath.Dir(from))}, dirs...)
		}
		for _, dir := range in {
			of := filepath.Dir(cleanName(t.File))
			if name, ok := x.add(t, dir, m[2], append([]string{of, filepath.Join(of, "..")}, dirs...)); ok {
				x.headers(t, name, dirs)
			}
		}
	}
}

// namedBy lists the headers that a macro stands for, in the texts so far and among the flags.
func (x *finder) namedBy(t *task, macro string) (all [][]string) {
	define := regexp.MustCompile(`(?m)^[ \t]*#[ \t]*define[ \t]+` + macro + `[ \t]+(["<])([^">\n]+)[">]`)
	for _, name := range slices.Sorted(maps.Keys(t.Texts)) {
		all = append(all, define.FindAllStringSubmatch(t.Texts[name], -1)...)
	}
	flag := regexp.MustCompile(`^--define=` + macro + `=(["<])([^">\n]+)[">]$`)
	for _, f := range t.Flags {
		all = append(all, flag.FindAllStringSubmatch(f, -1)...)
	}
	return all
}

// add adds a file of a folder, where there is one that is not there yet and that the task may read: below one of
// the folders.
func (x *finder) add(t *task, dir, file string, folders []string) (name string, added bool) {
	name = cleanName(filepath.Join(filepath.FromSlash(dir), filepath.FromSlash(file)))
	if _, known := t.Texts[name]; known || !include.Within(name, folders...) {
		return name, false
	}
	text, err := x.read(name)
	if err != nil {
		return name, false // the task says so, if it needs the file
	}
	t.Texts[name] = text
	return name, true
}

// model adds a model and what it includes. They are named from the folder of the model: where that is,
// nobody needs to know.
func (x *finder) model(t *task, file string, dirs []string) (name string, err error) {
	d, err := fencepost.LoadModel(fencepost.Model(file))
	if err != nil {
		return "", err
	}
	name = filepath.Base(file)
	t.Models = map[string]string{name: d.Source}
	in := []string{filepath.Dir(file)}
	for _, dir := range dirs {
		in = append(in, x.place(dir))
	}
	x.models(t, name, in)
	return name, nil
}

func (x *finder) models(t *task, from string, dirs []string) {
	for _, m := range includingModel.FindAllStringSubmatch(t.Models[from], -1) {
		name := filepath.Join(filepath.Dir(from), filepath.FromSlash(m[1]))
		if _, known := t.Models[name]; known || !filepath.IsLocal(name) {
			continue
		}
		for _, dir := range dirs {
			if b, err := os.ReadFile(filepath.Join(dir, name)); err == nil {
				t.Models[name] = string(b)
				x.models(t, name, dirs)
				break
			}
		}
	}
}

// doable says which flag of a file of settings is not for a batch.
func doable(settings []setting) error {
	known := map[string]bool{}
	for _, name := range slices.Concat(taskFlags["check"], limitFlags) {
		known[name] = true
	}
	for _, s := range settings {
		for _, dim := range s.flags {
			if name := flagName(dim[0]); !known[name] {
				return fmt.Errorf("a batch does no --%s (but %s)", name, strings.Join(slices.Sorted(maps.Keys(known)), ", "))
			}
		}
	}
	return nil
}
