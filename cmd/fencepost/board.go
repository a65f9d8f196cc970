package main

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/fencepost-verifier/fencepost"
	"github.com/fencepost-verifier/fencepost/batch"
)

// A board is the table of a batch on a terminal, which is written again and again below what else
// is printed. Where there is no terminal it only keeps account.
type board struct {
	w       io.Writer // nil: there is none
	errs    io.Writer
	begun   time.Time
	version string

	mu      sync.Mutex
	sum     *fencepost.BatchSummary
	workers map[string]*sign
	others  map[string]bool // versions of workers that have no use for our jobs
	lines   int             // that stand there
	err     error
	stop    chan struct{}
	end     func()
}

// A sign is one of life.
type sign struct {
	batch.Pulse
	at time.Time
}

const (
	boardTime = 500 * time.Millisecond
	// silent is for how long a worker is believed to be there.
	silent      = 5 * time.Second
	mostWorkers = 16 // that are shown
)

func newBoard(a *app, sum *fencepost.BatchSummary, version string) *board {
	b := &board{errs: a.stderr, begun: time.Now(), sum: sum, version: version, workers: map[string]*sign{}, others: map[string]bool{}, stop: make(chan struct{})}
	if terminal(a.stderr) {
		b.w = a.stderr
	}
	var wg sync.WaitGroup
	b.end = sync.OnceFunc(func() {
		close(b.stop)
		wg.Wait()
		b.mu.Lock()
		b.clear()
		b.w = nil
		b.mu.Unlock()
	})
	if b.w != nil {
		wg.Go(func() {
			tick := time.NewTicker(boardTime)
			defer tick.Stop()
			for {
				select {
				case <-b.stop:
					return
				case <-tick.C:
				}
				b.mu.Lock()
				b.clear()
				b.draw()
				b.mu.Unlock()
			}
		})
	}
	return b
}

// close removes the table.
func (b *board) close() { b.end() }

// add takes in what came of a job.
func (b *board) add(j *fencepost.BatchJob) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.sum.Add(&j.Job)
}

// print calls f, which prints, with the table out of its way.
func (b *board) print(f func() error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.clear()
	if err := f(); err != nil && b.err == nil {
		b.err = err
	}
}

// broken is what kept a line from being written; nil: nothing did.
func (b *board) broken() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.err != nil {
		return &outputError{err: b.err}
	}
	return nil
}

// note tells people something.
func (b *board) note(s string) {
	b.print(func() error {
		_, err := fmt.Fprintln(b.errs, "fencepost:", s)
		return err
	})
}

// pulse takes in what a worker tells.
func (b *board) pulse(p *batch.Pulse) {
	b.mu.Lock()
	stranger := p.Version != b.version && !b.others[p.Version]
	was := b.workers[p.Worker]
	trouble := p.Version == b.version && p.Trouble != "" && (was == nil || was.Trouble == "")
	switch {
	case stranger:
		b.others[p.Version] = true
	case p.Version == b.version:
		b.workers[p.Worker] = &sign{*p, time.Now()}
	}
	b.mu.Unlock()
	if trouble {
		b.note(fmt.Sprintf("the queue takes no results of %s at the moment (%s); is the disk full?", p.Worker, p.Trouble))
	}
	if stranger {
		b.note(fmt.Sprintf("the worker %s is another version of Fencepost (%s) and takes no jobs of this one (%s)", p.Worker, p.Version, b.version))
	}
}

func (b *board) clear() {
	if b.w != nil && b.lines > 0 {
		fmt.Fprintf(b.w, "\x1b[%dA\r\x1b[J", b.lines)
	}
	b.lines = 0
}

func (b *board) draw() {
	var out bytes.Buffer
	wide := max(width(b.w)-1, leastWidth-1)
	b.sum.Elapsed = time.Since(b.begun)
	b.sum.Print(&out, fencepost.Style{Width: wide})
	names := slices.Sorted(maps.Keys(b.workers))
	names = slices.DeleteFunc(names, func(n string) bool { return time.Since(b.workers[n].at) > silent })
	out.WriteString("\n")
	if len(names) == 0 {
		out.WriteString("no worker is heard of\n")
	}
	for i, n := range names {
		if i == mostWorkers {
			fmt.Fprintf(&out, "and %d more workers\n", len(names)-i)
			break
		}
		p := b.workers[n]
		line := fmt.Sprintf("%s  %d done", n, p.Done)
		if p.At != "" {
			line += fmt.Sprintf("  %.0f s  %s", (p.For + time.Since(p.at)).Seconds(), p.At)
		}
		if r := []rune(line); len(r) > wide {
			line = string(r[:wide-1]) + "…"
		}
		out.WriteString(line + "\n")
	}
	b.lines = strings.Count(out.String(), "\n")
	b.w.Write(out.Bytes())
}
