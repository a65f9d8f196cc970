// Package include finds the files that a text names: a model of cat includes others, and so does an
// IMP program. What comes in is a name and where it stands; what goes out is the text of the file
// and where that is. What a text includes is to be no more than whoever names the text has named:
// the files below its folder, and below the folders that were named for it.
package include

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
)

// ErrOutside is that a text includes what it may not.
var ErrOutside = errors.New("it is outside of the folder")

// Within is whether a file is in one of the folders, or below it.
func Within(file string, folders ...string) bool {
	return slices.ContainsFunc(folders, func(dir string) bool {
		rel, err := filepath.Rel(dir, file)
		return err == nil && filepath.IsLocal(rel)
	})
}

// Beside is the place that a name in the file from says.
func Beside(from, name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(filepath.Dir(from), filepath.FromSlash(name))
}

// Find reads the file, or else that of the name in one of the folders. It returns where it is. What is
// not allowed is not even opened: it may be a device without an end.
func Find(file, name string, folders []string, readFile func(string) ([]byte, error), allowed func(file string) error) (text []byte, where string, err error) {
	read := func(file string) ([]byte, error) {
		if err := allowed(file); err != nil {
			return nil, err
		}
		return readFile(file)
	}
	elsewhere := func(err error) bool { return errors.Is(err, fs.ErrNotExist) || errors.Is(err, ErrOutside) }
	if text, err = read(file); !elsewhere(err) || filepath.IsAbs(name) {
		return text, file, err
	}
	for _, dir := range folders {
		where := filepath.Join(dir, filepath.FromSlash(name))
		if text, err := read(where); !elsewhere(err) {
			return text, where, err
		}
	}
	return nil, file, err
}

// Below is what [Find] may be allowed: the files below the folder of root, and below the folders. A
// link that leads out is none of them.
func Below(root string, folders []string) func(file string) error {
	return func(file string) error {
		dirs := append([]string{filepath.Dir(root)}, folders...)
		if !Within(absolute(file), each(dirs, absolute)...) || LeadsOut(file, dirs) {
			return fmt.Errorf("%w of %s: name its folder with --include", ErrOutside, filepath.Base(root))
		}
		return nil
	}
}

// LeadsOut is whether a file that is there is in none of the folders, once links are followed.
func LeadsOut(file string, folders []string) bool {
	where, err := filepath.EvalSymlinks(absolute(file))
	if err != nil {
		return false // there is nothing to be read
	}
	return !Within(where, each(folders, func(dir string) string {
		if where, err := filepath.EvalSymlinks(absolute(dir)); err == nil {
			return where
		}
		return dir
	})...)
}

// absolute is a file's name from the root on, where that can be known.
func absolute(file string) string {
	if where, err := filepath.Abs(file); err == nil {
		return where
	}
	return file
}

func each(names []string, f func(string) string) []string {
	var all []string
	for _, name := range names {
		all = append(all, f(name))
	}
	return all
}
