package batch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"time"
)

// A Crew is processes that are workers. One that ends gets a successor.
type Crew struct {
	stop context.CancelFunc
	wg   sync.WaitGroup
	gone chan struct{} // closed when no worker is left
	mu   sync.Mutex
	err  error
}

const (
	// farewell is how long a worker may take to give back what it has.
	farewell = 250 * time.Millisecond
	// A worker that ends within early has not begun; after hopeless of these in a row there is no point
	// in more.
	early    = 2 * time.Second
	hopeless = 3
)

// Hire starts n workers, each by a command of its own, and again where a worker ends otherwise than with
// status 0. A worker ends when its standard input does, and
// that is so as well when this process ends, however that comes. say is told of those that are lost.
func Hire(n int, command func() *exec.Cmd, say func(string)) *Crew {
	ctx, cancel := context.WithCancel(context.Background())
	c := &Crew{stop: cancel, gone: make(chan struct{})}
	for range n {
		c.wg.Go(func() { c.keep(ctx, command, say) })
	}
	go func() {
		c.wg.Wait()
		close(c.gone)
	}()
	return c
}

// keep sees to it that there is one worker.
func (c *Crew) keep(ctx context.Context, command func() *exec.Cmd, say func(string)) {
	for failed := 0; ctx.Err() == nil; {
		began := time.Now()
		why, err := once(ctx, command())
		if ctx.Err() != nil || err == nil {
			return
		}
		if failed++; time.Since(began) > early {
			failed = 0
		}
		if why != "" {
			err = fmt.Errorf("%w: %s", err, why)
		}
		if failed >= hopeless {
			c.mu.Lock()
			c.err = fmt.Errorf("a worker ends before it begins: %w", err)
			c.mu.Unlock()
			return
		}
		say(fmt.Sprintf("a worker has ended (%v); another takes its place", err))
	}
}

// once is one worker from its beginning to its end. why is what it said last.
func once(ctx context.Context, cmd *exec.Cmd) (why string, err error) {
	hold, err := cmd.StdinPipe()
	if err != nil {
		return "", err
	}
	var said head
	cmd.Stdout, cmd.Stderr = nil, &said
	cmd.WaitDelay = farewell
	if err := cmd.Start(); err != nil {
		return "", err
	}
	ended := make(chan struct{})
	go func() {
		select {
		case <-ended:
			return
		case <-ctx.Done():
		}
		hold.Close()
		select {
		case <-ended:
		case <-time.After(farewell):
			cmd.Process.Kill()
		}
	}()
	err = cmd.Wait()
	close(ended)
	if errors.Is(err, exec.ErrWaitDelay) {
		err = nil
	}
	return said.line(), err
}

// Gone is closed when no worker is left; then Err says why, where that was no work of [Crew.Stop].
func (c *Crew) Gone() <-chan struct{} { return c.gone }

// Err says what is wrong with the workers.
func (c *Crew) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// Stop ends the workers.
func (c *Crew) Stop() {
	c.stop()
	c.wg.Wait()
}

// A head is the beginning of what was written; the rest of a stack is of no interest.
type head struct{ b bytes.Buffer }

func (t *head) Write(b []byte) (int, error) {
	if room := small - t.b.Len(); room > 0 {
		t.b.Write(b[:min(room, len(b))])
	}
	return len(b), nil
}

func (t *head) line() string {
	line, _, _ := strings.Cut(strings.TrimSpace(t.b.String()), "\n")
	return line
}

// Until is ctx until r, such as the standard input that [Hire] gives a worker, comes to its end.
func Until(ctx context.Context, r io.Reader) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		io.Copy(io.Discard, r)
		cancel()
	}()
	return ctx, cancel
}
