package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"time"

	"github.com/fencepost-verifier/fencepost"
)

const (
	// minMemory is the least memory limit. The process takes 10 MiB before it does
	// anything, and with less than six times that the garbage collector is all that runs.
	minMemory = 64 << 20
	// codeMemory is about what the process holds that is not Go's: its code and
	// constants, as far as they are in use.
	codeMemory = 12 << 20
)

// A guard keeps the process within the memory that it may hold. The engines keep account
// of what they hold, as well as they can, and the garbage collector works harder before
// the limit is reached; the guard stops the work where that is not enough.
type guard struct {
	given bool  // the user has set the limit
	limit int64 // for the process, in bytes; 0: it is the environment that says
	heap  int64 // the part of it for what Go manages
}

// errMemory is why the work of a guarded context ends: "stopped by the memory limit".
var errMemory = errors.New("the memory limit")

// guardMemory makes limit that of the process; 0: a little more than the machine has
// free for an engine.
func guardMemory(limit bytesize) *guard {
	g := &guard{given: limit > 0, limit: int64(limit)}
	if !g.given {
		if os.Getenv("GOMEMLIMIT") != "" {
			return g
		}
		g.limit = fencepost.DefaultMemoryLimit() / 4 * 5
	}
	g.limit = min(g.limit, addressSpace())
	g.heap = g.limit - codeMemory
	debug.SetMemoryLimit(g.heap)
	return g
}

// A limitError says that a limit cannot be kept.
type limitError struct{ msg string }

func (e *limitError) Error() string { return "--memory-limit: " + e.msg }

// engines is what an engine may hold now that the program is there: the rest, less what
// the garbage collector needs to work with; 0: it may choose.
func (g *guard) engines() (int64, error) {
	if !g.given {
		return 0, nil
	}
	held := usage().used
	if held > g.heap/16 { // much of it may be garbage
		runtime.GC()
		held = usage().used
	}
	left := (g.heap - held) / 5 * 4
	if left < minMemory/4 {
		return 0, &limitError{fmt.Sprintf("the program alone takes %d MiB: give at least %dM", held>>20, (held+codeMemory+minMemory)>>20)}
	}
	return left, nil
}

// used is what Go holds, in bytes: all, what of it is objects, and what was alive when the
// garbage was collected last; and what it has allocated so far.
type used struct{ used, objects, live, allocated int64 }

// kept is what is held but for garbage. What was allocated while it was looked for counts as alive.
func (u used) kept() int64 { return u.used - u.objects + u.live }

func usage() used {
	s := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"},
		{Name: "/memory/classes/heap/free:bytes"}, {Name: "/memory/classes/heap/objects:bytes"}, {Name: "/gc/heap/live:bytes"},
		{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(s)
	v := func(i int) int64 { return int64(s[i].Value.Uint64()) }
	return used{v(0) - v(1) - v(2), v(3), v(4), v(5)}
}

// watch is ctx until the process holds as much as it may; then its cause is errMemory.
// stop ends the watch.
func (g *guard) watch(ctx context.Context) (guarded context.Context, stop context.CancelFunc) {
	if g == nil || g.limit == 0 {
		return context.WithCancel(ctx)
	}
	guarded, cancel := context.WithCancelCause(ctx)
	done := make(chan struct{})
	go func() {
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		var collected, over time.Time
		for {
			select {
			case <-done:
				return
			case <-tick.C:
			}
			switch u := usage(); {
			case !over.IsZero():
				// Whoever does not stop in time is not waited for.
				if u.used > g.limit*2 || u.used > g.limit/10*11 && time.Since(over) > 5*time.Second {
					fmt.Fprintln(os.Stderr, "fencepost: UNKNOWN: stopped by the memory limit")
					os.Exit(exitUnknown)
				}
			case u.used < g.heap/20*19:
			case time.Since(collected) > 50*time.Millisecond:
				// It may be garbage, of which there may be as much again until somebody looks, and some is made
				// meanwhile: much of it where the machine is busy.
				runtime.GC()
				now := usage()
				if now.kept()-(now.allocated-u.allocated) > g.heap/10*8 || now.kept() > g.limit {
					over = time.Now()
					cancel(errMemory)
				}
				collected = time.Now()
			}
		}
	}()
	return guarded, sync.OnceFunc(func() {
		close(done)
		cancel(nil)
	})
}
