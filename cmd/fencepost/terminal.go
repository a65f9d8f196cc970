package main

import (
	"io"
	"os"
	"sync"
	"unicode/utf8"
)

// terminal is whether w is one.
func terminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// A progress is one line on a terminal that is written again and again.
type progress struct {
	w io.Writer

	mu    sync.Mutex
	shown bool
	done  bool
}

const (
	clearLine     = "\r\x1b[K"
	progressWidth = 79
)

// newProgress is nil, which shows nothing, where w is no terminal.
func newProgress(w io.Writer) *progress {
	if !terminal(w) {
		return nil
	}
	return &progress{w: w}
}

func (p *progress) show(line string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.done {
		return
	}
	if utf8.RuneCountInString(line) > progressWidth {
		line = string([]rune(line)[:progressWidth-1]) + "…"
	}
	io.WriteString(p.w, clearLine+line)
	p.shown = true
}

// clear removes the line. Later calls of show have no effect: an engine that
// has not noticed its end yet must not write into the result.
func (p *progress) clear() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.shown {
		io.WriteString(p.w, clearLine)
	}
	p.shown, p.done = false, true
}
