//go:build unix

// Package cpu tells how much processor time a measurement took.
package cpu

import (
	"syscall"
	"time"
)

// Time is the processor time of this process and of its children that have
// ended.
func Time() time.Duration {
	var d time.Duration
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		if syscall.Getrusage(who, &u) == nil {
			d += time.Duration(u.Utime.Nano() + u.Stime.Nano())
		}
	}
	return d
}
