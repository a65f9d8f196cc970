package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/fencepost-verifier/fencepost"
)

// modelExtension is that of files with a memory model.
const modelExtension = ".cat"

// A completion says how the word that is being typed may go on.
type completion = func(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective)

// completeFiles completes names of programs.
func completeFiles(_ *cobra.Command, _ []string, word string) ([]string, cobra.ShellCompDirective) {
	return offers(word, nil, fencepost.Extensions()...)
}

// completeTests completes names of litmus tests.
func completeTests(_ *cobra.Command, _ []string, word string) ([]string, cobra.ShellCompDirective) {
	return offers(word, nil, fencepost.LitmusExtension)
}

// completeModels completes names of memory models, and of files that have one.
func completeModels(_ *cobra.Command, _ []string, word string) ([]string, cobra.ShellCompDirective) {
	return offers(word, new(modelFlag).completions(), modelExtension)
}

// completeEach completes the arguments by one function after the other; by any file after the last.
func completeEach(each ...completion) completion {
	return func(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
		if len(args) < len(each) && each[len(args)] != nil {
			return each[len(args)](cmd, args, word)
		}
		return nil, cobra.ShellCompDirectiveDefault
	}
}

// completeChoices registers the values of a command's flags with the shell
// completion.
func completeChoices(cmd *cobra.Command) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		v, ok := f.Value.(interface{ completions() []string })
		if !ok {
			return
		}
		cmd.RegisterFlagCompletionFunc(f.Name, func(_ *cobra.Command, _ []string, word string) ([]string, cobra.ShellCompDirective) {
			before := ""
			if l, ok := f.Value.(interface{ list() bool }); ok && l.list() {
				before = word[:strings.LastIndex(word, ",")+1]
			}
			var exts []string
			if m, ok := f.Value.(interface{ files() bool }); ok && m.files() {
				exts = []string{modelExtension}
			}
			all, how := offers(word[len(before):], v.completions(), exts...)
			for i := range all {
				all[i] = before + all[i]
			}
			return all, how
		})
	})
}

// offers are those of known that word is the beginning of, and the files with one of the extensions, and the folders. We list
// them, since what else lists files differs from shell to shell.
func offers(word string, known []string, exts ...string) (all []string, how cobra.ShellCompDirective) {
	how = cobra.ShellCompDirectiveNoFileComp
	for _, k := range known {
		if strings.HasPrefix(k, word) {
			all = append(all, k)
		}
	}
	if len(exts) == 0 {
		return all, how
	}
	if strings.HasPrefix(word, "~") {
		return all, cobra.ShellCompDirectiveDefault // whose home that is the shell knows
	}
	dir, start := filepath.Split(word)
	entries, err := os.ReadDir(filepath.Clean(dir + "."))
	if err != nil {
		return all, how
	}
	for _, e := range entries {
		name := e.Name()
		if !strings.HasPrefix(name, start) || start == "" && strings.HasPrefix(name, ".") || strings.ContainsAny(name, "\n\t") {
			continue
		}
		info, err := os.Stat(filepath.Join(dir, name)) // where a link leads
		switch {
		case err != nil:
		case info.IsDir():
			all, how = append(all, dir+name+"/"), how|cobra.ShellCompDirectiveNoSpace
		case slices.Contains(exts, filepath.Ext(name)):
			all = append(all, dir+name)
		}
	}
	return all, how
}
