package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fencepost-verifier/fencepost"
)

// everywhere is the end of an argument that stands for all programs in a folder and below it.
const everywhere = "..."

// expand is [expand], unless there are no files but those that a task brings along: nobody looks for others.
func (a *app) expand(args []string) ([]string, error) {
	if a.texts != nil {
		return args, nil
	}
	return expand(args)
}

// expand puts the programs of a folder in the place of DIR/... among the arguments.
func expand(args []string) ([]string, error) {
	var files []string
	for _, arg := range args {
		dir, all := strings.CutSuffix(filepath.ToSlash(arg), everywhere)
		if !all || dir != "" && !strings.HasSuffix(dir, "/") {
			files = append(files, arg)
			continue
		}
		found, err := programs(filepath.Clean(filepath.FromSlash(dir)))
		if err != nil {
			return nil, err
		}
		if len(found) == 0 {
			return nil, fmt.Errorf("%s: there are no programs (%s)", arg, strings.Join(programExtensions(), ", "))
		}
		files = append(files, found...)
	}
	return files, nil
}

// programExtensions are those by which programs are found; a text file may be anything.
func programExtensions() []string {
	return slices.DeleteFunc(slices.Clone(fencepost.Extensions()), func(e string) bool { return e == ".txt" })
}

// programs lists the programs in a folder and below it, but for what is hidden, and for files that are
// there for programs to include.
func programs(dir string) (files []string, err error) {
	exts := programExtensions()
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch name := filepath.Base(path); {
		case err != nil:
			return err
		case path != dir && strings.HasPrefix(name, "."):
			if d.IsDir() {
				return fs.SkipDir
			}
		case !d.IsDir() && slices.Contains(exts, filepath.Ext(path)) && !fencepost.FragmentFile(path):
			files = append(files, path)
		}
		return nil
	})
	var at *fs.PathError
	if errors.As(err, &at) {
		err = fmt.Errorf("cannot read the folder %s: %v", at.Path, at.Err)
	}
	return files, err
}

// answer is what the format of the flags has to say of a result.
func (a *app) answer(j *job, r *fencepost.Result, file string) (fencepost.Part, error) {
	style := a.style(j, file)
	if style.Format.Collected() {
		return r.Part(style)
	}
	var b strings.Builder
	err := r.Print(&b, style)
	return fencepost.Part{Format: style.Format, Verdict: r.Verdict().String(), Text: b.String()}, err
}

// emit writes an answer, or keeps it for the document.
func (a *app) emit(j *job, p fencepost.Part) error {
	if p.Format.Collected() {
		a.parts = append(a.parts, p)
		return nil
	}
	a.part(j)
	_, err := io.WriteString(a.stdout, p.Text)
	return err
}

// document writes what was kept, at the end of the command.
func (a *app) document(f fencepost.Format) {
	if !f.Collected() || a.inner {
		return
	}
	if err := fencepost.WriteDocument(a.stdout, f, a.parts); err != nil {
		a.end(map[int]bool{a.status: true, a.fail("", fencepost.Text, &outputError{err: err}): true})
	}
	a.parts = nil
}
