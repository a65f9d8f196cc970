package suite

import (
	"bufio"
	"io"
	"iter"
	"os"
	"path/filepath"
	"strings"

	"github.com/fencepost-verifier/fencepost/program"
)

// Extension is the extension of the files that are tests.
const Extension = ".litmus"

// A File is a test.
type File struct {
	Path string
	// Rel is the path from the directory that the user named, or how the user
	// named the file.
	Rel string
	// Source is the text, where it has been read; else nil.
	Source *program.Source
	// Err says why there is no file to read.
	Err error
}

// Files is the tests that paths name: files, directories for all the files with the
// [Extension] in them and below, and @LIST for the files that LIST lists, a line each.
// They are found as they are asked for, those of a directory in the order of their
// names. The path - is standard input.
func Files(paths []string) iter.Seq[File] {
	return func(yield func(File) bool) {
		for _, p := range paths {
			info, err := os.Stat(p)
			switch {
			case err != nil && strings.HasPrefix(p, "@"):
				if !listed(p[1:], yield) {
					return
				}
			case err == nil && info.IsDir():
				if !walk(p, "", yield) {
					return
				}
			case !yield(File{Path: p, Rel: p}):
				return
			}
		}
	}
}

// walk reports whether to go on.
func walk(root, rel string, yield func(File) bool) bool {
	dir := filepath.Join(root, rel)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return yield(File{Path: dir, Rel: rel, Err: err})
	}
	for _, e := range entries {
		sub := filepath.Join(rel, e.Name())
		switch {
		case e.IsDir():
			if !walk(root, sub, yield) {
				return false
			}
		case strings.EqualFold(filepath.Ext(sub), Extension):
			if !yield(File{Path: filepath.Join(root, sub), Rel: sub}) {
				return false
			}
		}
	}
	return true
}

// maxListed bounds a list of files, in bytes.
const maxListed = 64 << 20

// listed is the tests that a file lists, a line each, from the directory that the list
// is in, as herd7 takes @LIST. Lines that are empty or begin with # do not count.
func listed(list string, yield func(File) bool) bool {
	f, err := os.Open(list)
	if err != nil {
		return yield(File{Path: list, Rel: list, Err: err})
	}
	defer f.Close()
	s := bufio.NewScanner(io.LimitReader(f, maxListed))
	for s.Scan() {
		name := strings.TrimSpace(s.Text())
		if name == "" || name[0] == '#' {
			continue
		}
		path := filepath.FromSlash(name)
		if !filepath.IsAbs(path) {
			path = filepath.Join(filepath.Dir(list), path)
		}
		if !yield(File{Path: path, Rel: name}) {
			return false
		}
	}
	if err := s.Err(); err != nil {
		return yield(File{Path: list, Rel: list, Err: err})
	}
	return true
}
