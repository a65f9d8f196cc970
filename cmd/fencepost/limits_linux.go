package main

import (
	"fmt"
	"math"
	"os"
	"syscall"
)

// addressSpace is what is left of the address space that the process may have (ulimit
// -v), in bytes; beyond it an allocation ends the process.
func addressSpace() int64 {
	var r syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_AS, &r) != nil || r.Cur > math.MaxInt64 {
		return math.MaxInt64
	}
	var pages int64
	if f, err := os.Open("/proc/self/statm"); err == nil {
		fmt.Fscan(f, &pages)
		f.Close()
	}
	return max(int64(r.Cur)-pages*int64(os.Getpagesize()), minMemory) / 8 * 7
}
