// Package leaks sees to it that tests leave no goroutine behind: whoever begins one ends it, or waits
// for it, before the answer is given. A package that begins goroutines has
//
//	func TestMain(m *testing.M) { os.Exit(leaks.Run(m)) }
package leaks

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"
)

// patience is how long goroutines that are about to end may take, on a machine that is busy.
const patience = 5 * time.Second

// Run runs the tests and gives the exit status: that of the tests or, where they pass and goroutines
// are left for seconds, 1, after their stacks on standard error. Goroutines with one of the
// names in a function of theirs may be left.
func Run(m *testing.M, allowed ...string) int {
	status := m.Run()
	if status != 0 {
		return status
	}
	if left := Wait(patience, allowed...); len(left) > 0 {
		fmt.Fprintf(os.Stderr, "%d goroutines are left when all tests are done:\n\n%s\n", len(left), strings.Join(left, "\n\n"))
		return 1
	}
	return 0
}

// Wait waits until nobody but the caller and the runtime has goroutines, but no longer than that, and gives
// the stacks of those that are left.
func Wait(patience time.Duration, allowed ...string) (left []string) {
	for end, pause := time.Now().Add(patience), time.Millisecond; ; pause = min(2*pause, 100*time.Millisecond) {
		if left = others(allowed); len(left) == 0 || time.Now().After(end) {
			return left
		}
		time.Sleep(pause)
	}
}

// others is the stacks of the goroutines that somebody has begun and not ended. The first is the caller's own.
func others(allowed []string) (left []string) {
	buf := make([]byte, 1<<16)
	n := runtime.Stack(buf, true)
	for n == len(buf) && n < 1<<26 {
		buf = make([]byte, 2*n)
		n = runtime.Stack(buf, true)
	}
	// Of the system: signals, the clock of the tests, the coordinator of a fuzz target.
	allowed = append([]string{"os/signal.", "testing.", "runtime.ensureSigM", "internal/fuzz."}, allowed...)
stacks:
	for _, g := range strings.Split(strings.TrimSpace(string(buf[:n])), "\n\n")[1:] {
		for _, name := range allowed {
			if strings.Contains(g, "\n"+name) || strings.Contains(g, "created by "+name) {
				continue stacks
			}
		}
		left = append(left, g)
	}
	return left
}
