package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/fencepost-verifier/fencepost"
)

// A task is a job of a batch: a command line, and all that it reads. It says nothing about the machine
// that does it, and is allowed nothing there: it reads what it brings with it.
type task struct {
	Command string            `json:"command"` // one of [taskFlags]
	File    string            `json:"file"`
	Flags   []string          `json:"flags,omitempty"` // --name=value
	Texts   texts             `json:"texts,omitempty"` // the file and what it includes
	Models  map[string]string `json:"models,omitempty"`
}

// taskFlags are the flags that tasks may have, by command: those that say what is asked. None of them
// reads, writes or runs anything by a name that it is given.
var taskFlags = map[string][]string{
	"check": {"property", "model", "engine", "search", "por", "symmetry", "commute", "jobs", "compact", "unroll", "buffer", "define", "include",
		"std", "check-overflow", "check-uninitialised", "check-leaks", "spurious", "arg", "mapping", "solver", "full"},
	"litmus": {"model", "engine", "unroll", "solver"},
}

// limitFlags are the flags about what a task may take.
var limitFlags = []string{"timeout", "memory-limit"}

// taskSolvers are the SAT solvers that are no programs of the machine's.
var taskSolvers = []string{"cdcl", "gini"}

// An outcome is what a task came to.
type outcome struct {
	Status int             // of the command
	Object json.RawMessage // what it printed
}

// refuse says why a task is none.
func (t *task) refuse(limits []string) error {
	known := taskFlags[t.Command]
	if known == nil {
		return fmt.Errorf("%q is no command for a batch", t.Command)
	}
	check := func(flags, known []string) error {
		for _, f := range flags {
			name, value, ok := strings.Cut(strings.TrimPrefix(f, "--"), "=")
			switch {
			case !ok || !strings.HasPrefix(f, "--") || !slices.Contains(known, name):
				return fmt.Errorf("%s is no flag for %s in a batch", f, t.Command)
			case name == "solver" && !slices.Contains(taskSolvers, value):
				return fmt.Errorf("--solver %s: a batch has %s", value, strings.Join(taskSolvers, ", "))
			case name == "model" && isModelFile(value) && t.Models[value] == "":
				return fmt.Errorf("--model %s: the text is missing", value)
			}
		}
		return nil
	}
	if err := check(t.Flags, known); err != nil {
		return err
	}
	for name := range t.Models {
		if !filepath.IsLocal(name) {
			return fmt.Errorf("--model %s: no name in a folder", name)
		}
	}
	return check(limits, limitFlags)
}

// isModelFile is true of the name of a file with a model.
func isModelFile(model string) bool { return !slices.Contains(words(fencepost.Models()...), model) }

// do does a task. Models are written into the current folder, which is to be the worker's own; nothing else is.
func (t *task) do(ctx context.Context, limits []string) (o *outcome) {
	var out, messages bytes.Buffer
	a := &app{stdin: strings.NewReader(""), stdout: &out, stderr: &messages, library: everything, texts: t.Texts}
	defer func() {
		err := error(nil)
		if v := recover(); v != nil {
			a.status, err = exitInternal, panicked(v)
		}
		lines := bytes.Split(bytes.TrimSpace(out.Bytes()), []byte("\n"))
		if err == nil && len(lines) == 1 && json.Valid(lines[0]) {
			o = &outcome{a.status, bytes.Clone(lines[0])}
			return
		}
		if err == nil {
			err = errors.New(strings.TrimSpace(messages.String()))
		}
		var b bytes.Buffer
		fencepost.PrintError(&b, t.File, err)
		o = &outcome{max(a.status, exitInput), bytes.TrimSpace(b.Bytes())}
	}()
	if err := t.refuse(limits); err != nil {
		messages.WriteString(err.Error())
		return nil
	}
	for name, text := range t.Models {
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			panic(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			panic(err)
		}
	}
	cmd := map[string]func() *cobra.Command{"check": a.checkCommand, "litmus": a.litmusCommand}[t.Command]()
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.SetOut(&messages)
	cmd.SetErr(&messages)
	args := slices.Concat(t.Flags, limits, []string{"--output=json"})
	if t.Command == "litmus" {
		args = append(args, "--jobs=1")
	}
	cmd.SetFlagErrorFunc(flagError)
	cmd.SetArgs(append(args, "--", t.File))
	if err := cmd.ExecuteContext(ctx); err != nil {
		fmt.Fprintln(&messages, usageMessage(err, nil))
	}
	return nil
}

// Texts are the files that there are, by name, where those of the disk are not; nil: those of the disk.
type texts map[string]string

// textBytes are a text that is not UTF-8, which a string of JSON cannot be.
type textBytes struct {
	Bytes []byte `json:"bytes"`
}

// MarshalJSON keeps every byte of the texts.
func (t texts) MarshalJSON() ([]byte, error) {
	var all map[string]any // nil: they are strings
	for name, text := range t {
		if !utf8.ValidString(text) {
			if all == nil {
				all = map[string]any{}
			}
			all[name] = textBytes{[]byte(text)}
		}
	}
	if all == nil {
		return json.Marshal(map[string]string(t))
	}
	for name, text := range t {
		if all[name] == nil {
			all[name] = text
		}
	}
	return json.Marshal(all)
}

// UnmarshalJSON is the reverse of MarshalJSON.
func (t *texts) UnmarshalJSON(b []byte) error {
	if json.Unmarshal(b, (*map[string]string)(t)) == nil {
		return nil
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(b, &all); err != nil || all == nil {
		return err
	}
	*t = make(texts, len(all))
	for name, raw := range all {
		var text string
		if err := json.Unmarshal(raw, &text); err != nil {
			var other textBytes
			if err := json.Unmarshal(raw, &other); err != nil {
				return err
			}
			text = string(other.Bytes)
		}
		(*t)[name] = text
	}
	return nil
}

// clean is the one name that a file has among them.
func cleanName(name string) string { return path.Clean(filepath.ToSlash(name)) }

// open is [fencepost.Read] of one of them.
func (t texts) open(file string, set fencepost.Option) (*fencepost.Program, error) {
	text, err := t.read(file)
	if err != nil {
		return nil, fencepost.Unreadable(file, err)
	}
	return fencepost.Read(file, bytes.NewReader(text), set, func(o *fencepost.Options) { o.C.ReadFile = t.read })
}

func (t texts) read(name string) ([]byte, error) {
	text, ok := t[cleanName(name)]
	if !ok {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return []byte(text), nil
}

// litmus is [fencepost.Litmus] of them.
func (t texts) litmus(ctx context.Context, files []string, opts fencepost.LitmusOptions, yield func(*fencepost.LitmusTest) error) (*fencepost.LitmusSummary, error) {
	var all []*fencepost.Source
	for _, f := range files {
		text, err := t.read(f)
		if err != nil {
			return &fencepost.LitmusSummary{}, fencepost.Unreadable(f, err)
		}
		all = append(all, &fencepost.Source{Name: f, Text: string(text)})
	}
	return fencepost.LitmusSources(ctx, all, opts, yield)
}
