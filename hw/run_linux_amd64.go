package hw

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
	"unsafe"
)

// Here is whether tests can be run.
const Here = true

// spawn runs the command with the text on its standard input and gives its output. The error says
// by which signal it ended, if that was so.
func spawn(ctx context.Context, command []string, text []byte) ([]byte, error) {
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	// The code of a test is none of Go's, so its threads must not be stopped in it.
	cmd.Env = append(os.Environ(), "GODEBUG=asyncpreemptoff=1", "GOTRACEBACK=none")
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(text), &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		why := strings.TrimSpace(errs.String())
		if line, _, _ := strings.Cut(why, "\n"); line != "" {
			why = line
		}
		if ws, ok := exit.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
			why = strings.TrimSpace(ws.Signal().String() + " " + why)
		}
		return nil, fmt.Errorf("the code of the test ended the process that ran it: %s", why)
	}
	return out.Bytes(), err
}

// Between two visits to Go there are at most so many runs, or for about so long.
const (
	batch   = 20_000
	stretch = 50 * time.Millisecond
)

// run runs the plan, batch after batch, on other processors and with other delays each time.
func (p *plan) run() ([]sighting, error) {
	debug.SetGCPercent(-1)
	runtime.GOMAXPROCS(len(p.Threads) + 2)
	m, err := p.place()
	if err != nil {
		return nil, err
	}
	defer m.unmap()
	cpus := processors()
	rng := rand.New(rand.NewPCG(p.Seed, 1))
	seen := map[string]*sighting{}
	size, start := 100, time.Now()
	for done, round := 0, 0; done < p.Runs && time.Since(start) < p.Time; round++ {
		n, began := min(size, p.Runs-done), time.Now()
		m.prepare(p, rng, n)
		perm := rng.Perm(len(cpus))
		var all sync.WaitGroup
		for t := range p.Threads {
			all.Go(func() {
				runtime.LockOSThread() // and the thread ends with the goroutine: it is pinned
				if round%4 > 0 {       // else the system may choose
					pin(cpus[perm[t%len(cpus)]])
				}
				call(m.entry[round%len(p.Shifts)][t])
			})
		}
		all.Wait()
		m.collect(p, n, seen)
		done += n
		switch took := time.Since(began); {
		case took < stretch/2:
			size = min(2*size, batch)
		case took > 2*stretch:
			size = max(size/2, 10)
		}
	}
	var list []sighting
	for _, s := range seen {
		list = append(list, *s)
	}
	slices.SortFunc(list, func(a, b sighting) int { return b.Count - a.Count })
	return list, nil
}

// call calls machine code that keeps what Go wants kept.
func call(code uintptr) {
	f := &code
	(*(*func())(unsafe.Pointer(&f)))()
}

// processors lists those that the process may run on.
func processors() (cpus []int) {
	var set [128]uint64
	n, _, e := syscall.RawSyscall(syscall.SYS_SCHED_GETAFFINITY, 0, unsafe.Sizeof(set), uintptr(unsafe.Pointer(&set)))
	if e == 0 {
		for i := range int(n) * 8 {
			if set[i/64]>>(i%64)&1 != 0 {
				cpus = append(cpus, i)
			}
		}
	}
	if len(cpus) == 0 {
		cpus = []int{0}
	}
	return cpus
}

// pin keeps the thread on a processor, as far as the system lets it.
func pin(cpu int) {
	var set [128]uint64
	set[cpu/64] |= 1 << (cpu % 64)
	syscall.RawSyscall(syscall.SYS_SCHED_SETAFFINITY, 0, unsafe.Sizeof(set), uintptr(unsafe.Pointer(&set)))
}
