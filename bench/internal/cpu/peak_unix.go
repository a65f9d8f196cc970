//go:build unix

package cpu

import (
	"os"
	"runtime"
	"syscall"
)

// Peak is the most memory that a process that has ended, or one that it has begun and waited for, had
// in use at a time (its resident set), in bytes; 0: not known.
func Peak(s *os.ProcessState) int64 {
	u, ok := s.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "darwin" || runtime.GOOS == "ios" {
		return int64(u.Maxrss)
	}
	return int64(u.Maxrss) << 10
}
