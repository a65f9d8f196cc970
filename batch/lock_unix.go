//go:build unix

package batch

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// lock takes hold of a file that no two processes have at a time, until unlock or the end of the
// process, however that comes.
func lock(path string) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil {
		f.Close()
		return nil, fmt.Errorf("another batch is at work in %s", filepath.Dir(path))
	}
	return func() {
		// Closing is not enough: a process that is being started elsewhere has the file, too, until it executes another.
		syscall.Flock(int(f.Fd()), syscall.LOCK_UN)
		f.Close()
	}, nil
}
