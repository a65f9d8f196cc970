package main

import (
	"fmt"
	"os"

	"github.com/fencepost-verifier/fencepost"
)

// A spillFile is a file that is gone when it is closed.
type spillFile struct{ *os.File }

func (f spillFile) Close() error {
	err := f.File.Close()
	os.Remove(f.Name()) // where it is still there
	return err
}

func (f spillFile) WriteAt(b []byte, off int64) (int, error) {
	n, err := f.File.WriteAt(b, off)
	if err != nil {
		err = &outputError{f.Name(), err}
	}
	return n, err
}

// A directory is the value of a flag that names one.
type directory string

func (d *directory) String() string { return string(*d) }
func (d *directory) Type() string   { return "DIR" }

func (d *directory) Set(s string) error {
	info, err := os.Stat(s)
	switch {
	case err != nil:
		return fmt.Errorf("there is no directory %s", s)
	case !info.IsDir():
		return fmt.Errorf("%s is not a directory", s)
	}
	*d = directory(s)
	return nil
}

// spillTo creates files in the directory that the user has named; nil where there
// is none.
func (j *job) spillTo() func() (fencepost.SpillFile, error) {
	if j.spill == "" {
		return nil
	}
	return func() (fencepost.SpillFile, error) {
		f, err := os.CreateTemp(string(j.spill), "fencepost-*.states")
		if err != nil {
			return nil, &outputError{string(j.spill), err}
		}
		// Where an open file can be removed, nothing of it stays behind, however
		// the process ends.
		os.Remove(f.Name())
		return spillFile{f}, nil
	}
}
