package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fencepost-verifier/fencepost"
)

func (a *app) examplesCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "examples",
		Short: "List, show or copy the examples that come with fencepost",
		Long: `Examples lists the programs that come with fencepost: locks, queues and litmus tests,
broken and mended, in IMP, C and the other languages. What each comes to is said in its comment.

Exit status: 0, 2 usage or input error.`,
		Example: `  fencepost examples
  fencepost examples show dekker.imp
  fencepost examples copy dekker.imp c/seqlock.c`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			if _, err := example(args[0]); err == nil {
				return fmt.Errorf("unknown command %q; did you mean examples show %s, or copy?", args[0], args[0])
			}
			return fmt.Errorf("unknown command %q%s", args[0], didYouMean(args[0], []string{"list", "show", "copy"}, ""))
		},
		RunE: func(*cobra.Command, []string) error { return a.listExamples() },
	}
	known := func(_ *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
		return exampleNames(), cobra.ShellCompDirectiveNoFileComp
	}
	cmd.AddCommand(
		&cobra.Command{Use: "list", Short: "List the examples", Example: "  fencepost examples list", Args: files(0, 0),
			RunE: func(*cobra.Command, []string) error { return a.listExamples() }},
		&cobra.Command{Use: "show NAME", Short: "Print an example", Example: "  fencepost examples show c/seqlock.c", Args: files(1, 1),
			ValidArgsFunction: known,
			RunE: func(_ *cobra.Command, args []string) error {
				text, err := example(args[0])
				if err == nil {
					_, err = a.stdout.Write(text)
				}
				return err
			}},
		&cobra.Command{Use: "copy NAME...", Short: "Copy examples into the folder", Example: "  fencepost examples copy dekker.imp",
			Args: files(1, -1), ValidArgsFunction: known,
			RunE: func(_ *cobra.Command, args []string) error {
				for _, name := range args {
					text, err := example(name)
					if err != nil {
						return err
					}
					if err := a.create(path.Base(name), text); err != nil {
						return err
					}
				}
				return nil
			}},
	)
	return cmd
}

// exampleNames lists the names of all examples.
func exampleNames() (names []string) {
	fs.WalkDir(fencepost.Examples(), ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			names = append(names, name)
		}
		return err
	})
	return names
}

// example is the text of one.
func example(name string) ([]byte, error) {
	text, err := fs.ReadFile(fencepost.Examples(), strings.TrimPrefix(filepath.ToSlash(name), "examples/"))
	if err != nil {
		meant := ""
		for _, known := range exampleNames() {
			base := path.Base(known)
			same := base == name || strings.EqualFold(strings.TrimSuffix(base, path.Ext(base)), name)
			if same && (meant == "" || strings.Count(known, "/") < strings.Count(meant, "/")) {
				meant = known
			}
		}
		if meant != "" {
			return nil, fmt.Errorf("there is no example %s; did you mean %s?", name, meant)
		}
		return nil, fmt.Errorf("there is no example %s%s (fencepost examples lists them)", name, didYouMean(name, exampleNames(), ""))
	}
	return text, nil
}

func (a *app) listExamples() error {
	longest := 0
	for _, name := range exampleNames() {
		longest = max(longest, len(name))
	}
	for _, name := range exampleNames() {
		text, err := example(name)
		if err != nil {
			return err
		}
		line := []rune(fmt.Sprintf("%-*s  %s", longest, name, about(string(text))))
		if most := width(a.stdout); most > 0 && len(line) > most {
			line = append(line[:most-1], '…')
		}
		if _, err := fmt.Fprintln(a.stdout, string(line)); err != nil {
			return &outputError{err: err}
		}
	}
	return nil
}

// about is the first sentence of a program's comment, or of what a litmus test says of itself.
func about(text string) string {
	var words []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		said, comment := "", false
		for _, mark := range []string{"//", "/*", "# "} {
			if said, comment = strings.CutPrefix(line, mark); comment {
				break
			}
		}
		if !comment && len(words) == 0 && strings.HasPrefix(line, "\"") {
			return strings.Trim(line, "\"")
		}
		if !comment {
			if len(words) > 0 {
				break
			}
			continue
		}
		words = append(words, strings.Fields(strings.TrimSuffix(said, "*/"))...)
		if n := len(words); n > 0 && strings.HasSuffix(words[n-1], ".") {
			break
		}
	}
	s := strings.Join(words, " ")
	if i := strings.Index(s, ". "); i >= 0 {
		s = s[:i+1]
	}
	return s
}

// create writes a file that is not there yet, and says so.
func (a *app) create(name string, text []byte) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	switch {
	case errors.Is(err, fs.ErrExist):
		return fmt.Errorf("%s is there already", name)
	case err != nil:
		return &outputError{name, err}
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Close()); err != nil {
		return &outputError{name, err}
	}
	_, err = io.WriteString(a.stdout, name+"\n")
	return err
}

const firstProgram = `// Two threads that want into a critical section: each raises its flag and looks at the
// other's. On hardware that buffers its stores both may find the other's flag down.
//
//	fencepost check first.imp     says so, and shows how
//	fencepost fences first.imp    says what mends it
//
// docs/imp.md describes the language.

program First
variables bool flag[2]

process P[i in 0..1]
begin
  flag[i] := true;
  if not flag[1 - i] then
    cs: skip;  // the critical section
    flag[i] := false
  fi
end

forbid P[0]@cs & P[1]@cs
`

const firstConfig = `# What "fencepost check" does here: docs/ci.md.
checks:
  - files: ["./..."]
    model: [sc, tso]
    timeout: 60s
`

func (a *app) initCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "init",
		Short: "Begin: a first program and a fencepost.yaml in this folder",
		Long: `Init writes first.imp, a program to try things on, and fencepost.yaml, which says what
"fencepost check" without a file does. Files that are there stay as they are.

Exit status: 0, 2 usage or input error.`,
		Example: "  fencepost init && fencepost check",
		Args:    files(0, 0),
		RunE: func(*cobra.Command, []string) error {
			return errors.Join(a.create("first.imp", []byte(firstProgram)), a.create(configName, []byte(firstConfig)))
		},
	}
}
