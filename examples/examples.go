// Package examples is the programs that Fencepost ships. Each begins with what is known about it.
package examples

import (
	"embed"
	"io/fs"
	"slices"
)

// Files has them by name: IMP at the top, C in c, litmus tests in litmus, programs of which
// states are to be counted in counts, those of the thesis in thesis, and automata in automata.
//
//go:embed *.imp automata/*.asm c/*.c litmus/*.litmus counts/*.imp thesis/*.imp
var Files embed.FS

// Names lists them.
func Names() (names []string) {
	fs.WalkDir(Files, ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			names = append(names, path)
		}
		return err
	})
	slices.Sort(names)
	return names
}
