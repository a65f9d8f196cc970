package batch

import (
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/windows"
)

// lock takes hold of a file that no two processes have at a time, until unlock or the end of the
// process, however that comes.
func lock(path string) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	const how = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	if windows.LockFileEx(windows.Handle(f.Fd()), how, 0, 1, 0, &windows.Overlapped{}) != nil {
		f.Close()
		return nil, fmt.Errorf("another batch is at work in %s", filepath.Dir(path))
	}
	return func() { f.Close() }, nil
}
