package engine

import (
	"slices"
	"strings"
	"sync"
)

// A board shows on one line what each engine of a race is at. The nil board shows nothing.
type board struct {
	show func(line string)

	mu    sync.Mutex
	names []Name // in the order in which they had something to say
	lines map[Name]string
}

func newBoard(show func(line string)) *board {
	if show == nil {
		return nil
	}
	return &board{show: show, lines: map[Name]string{}}
}

// of is what an engine tells how far it is.
func (b *board) of(name Name) func(line string) {
	if b == nil {
		return nil
	}
	return func(line string) {
		b.mu.Lock()
		defer b.mu.Unlock()
		if _, ok := b.lines[name]; !ok {
			b.names = append(b.names, name)
		}
		b.lines[name] = strings.TrimPrefix(line, string(name)+": ")
		b.show(b.line())
	}
}

// leave takes an engine off the board.
func (b *board) leave(name Name) {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.lines, name)
	b.names = slices.DeleteFunc(b.names, func(n Name) bool { return n == name })
}

func (b *board) line() string {
	parts := make([]string, len(b.names))
	for i, n := range b.names {
		parts[i] = string(n) + ": " + b.lines[n]
	}
	return strings.Join(parts, " | ")
}
