package main

import (
	"io"
	"os"
	"sync"
	"time"
	"unicode/utf8"

	"golang.org/x/term"
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

// The widths of text on terminals: below the one nothing can be read, and above the other
// lines are too long to be.
const (
	leastWidth = 60
	mostWidth  = 160
)

// width is how many columns of text there are on w; 0 where it is no terminal.
func width(w io.Writer) int {
	f, ok := w.(*os.File)
	if !ok || !terminal(w) {
		return 0
	}
	columns, _, err := term.GetSize(int(f.Fd()))
	if err != nil || columns <= 0 {
		return 0
	}
	return min(max(columns, leastWidth), mostWidth)
}

// A progress is one line on a terminal that is written again and again.
type progress struct {
	w     io.Writer
	width int
	begun time.Time

	mu    sync.Mutex
	shown bool
	done  bool
}

const (
	clearLine     = "\r\x1b[K"
	progressWidth = 79
	// quiet is for how long nothing is shown: what takes no longer is over before it is read.
	quiet = 500 * time.Millisecond
)

// newProgress is nil, which shows nothing, where w is no terminal.
func newProgress(w io.Writer) *progress {
	if !terminal(w) {
		return nil
	}
	p := &progress{w: w, width: progressWidth, begun: time.Now()}
	if n := width(w); n > 0 {
		p.width = n - 1 // a full line would go on to the next
	}
	return p
}

func (p *progress) show(line string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.done || time.Since(p.begun) < quiet {
		return
	}
	if utf8.RuneCountInString(line) > p.width {
		line = string([]rune(line)[:p.width-1]) + "…"
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
