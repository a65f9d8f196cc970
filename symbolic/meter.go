package symbolic

import (
	"context"
	"errors"

	"github.com/fencepost-verifier/fencepost/symbolic/diagram"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// errMemory is that a table would be larger than the memory limit.
var errMemory = errors.New("the tables do not fit the memory limit")

// A meter says when to stop work that makes tables: when its context has ended, or
// when the tables take more than there is memory for.
type meter struct {
	ctx   context.Context
	limit int64 // in bytes; 0: none
	held  int64
	ticks int
}

// polled is how many pieces of work, of a microsecond or so, are done between two looks
// at the context.
const polled = 1 << 10

// tick counts a piece of work.
func (m *meter) tick() error {
	if m.ticks--; m.ticks > 0 {
		return nil
	}
	m.ticks = polled
	return m.ctx.Err()
}

// hold counts bytes that are kept, or, negative, are no longer.
func (m *meter) hold(bytes int64) error {
	if m.held += bytes; m.limit > 0 && m.held > m.limit {
		return errMemory
	}
	return nil
}

// left is how much memory remains; 0: there is no limit.
func (m *meter) left() int64 {
	if m.limit == 0 {
		return 0
	}
	return max(m.limit-m.held, 1)
}

// bytesPerClause is about what a clause takes in a solver and in its log, and
// bytesPerNumber what a number takes in a circuit, with the table of its gates.
const (
	bytesPerClause = 150
	bytesPerNumber = 16
)

// fits is an error where the clauses of solvers do not fit what there is left.
func (m *meter) fits(clauses int) error {
	if m.limit > 0 && m.held+int64(clauses)*bytesPerClause > m.limit {
		return errMemory
	}
	return m.ctx.Err()
}

// stopped is true of an error that says that there was not enough time or memory.
func (m *meter) stopped(err error) bool {
	return err != nil && (m.ctx.Err() != nil || errors.Is(err, errMemory) || errors.Is(err, diagram.ErrFull))
}

// because says by what the work was stopped.
func (m *meter) because() string {
	if m.ctx.Err() != nil {
		return "stopped " + verdict.Because(m.ctx)
	}
	return "stopped by the memory limit"
}
