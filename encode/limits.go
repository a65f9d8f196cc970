package encode

import (
	"context"
	"errors"
)

// ErrTooLarge says that the next bound would need more memory than allowed.
var ErrTooLarge = errors.New("the formula would grow too large")

const (
	// bytesPerClause is about what a clause takes in the solver and in its log.
	bytesPerClause = 150
	// maxMemory is as much as the numbers of variables and clauses are good for.
	maxMemory = 60_000_000 * bytesPerClause
)

// limits is where the making of a formula ends. What makes a formula is deep in loops
// within loops, and within an interpreter that knows of no errors: it is left by a panic,
// which goes no further than to guarded.
type limits struct {
	ctx      context.Context // of the call that is at work, or nil
	polls    uint
	reason   error // why the work ends
	stopping bool
	memory   int64 // bytes
	extra    int64 // bytes held besides the clauses
}

// guarded does work, which polls. The error is that of ctx or [ErrTooLarge] where the work
// ended early; the formula is of no use then.
func (f *Formula) guarded(ctx context.Context, work func() error) (err error) {
	outer := f.limits.ctx
	f.limits.ctx = ctx
	defer func() {
		f.limits.ctx = outer
		if f.limits.stopping { // else the panic is none of ours
			recover()
			f.limits.stopping = false
			err = f.limits.reason
		}
	}()
	return work()
}

// poll ends the work where it takes too long or too much memory. Between two polls is
// what takes milliseconds at most.
func (f *Formula) poll() {
	l := &f.limits
	if l.ctx == nil {
		return
	}
	if err := l.ctx.Err(); err != nil {
		f.stop(err)
	}
	if l.polls++; l.polls%64 == 0 && f.held() > l.memory {
		f.stop(ErrTooLarge)
	}
}

func (f *Formula) stop(err error) {
	f.limits.reason, f.limits.stopping = err, true
	panic(err)
}

// held is about how much memory the formula takes, in bytes.
func (f *Formula) held() int64 {
	const bytesPerPair = 80 // in the table of coherence
	return int64(f.s.Stats().Clauses)*bytesPerClause + int64(len(f.co))*bytesPerPair + f.limits.extra
}

// room ends the work where n bytes more are too much.
func (f *Formula) room(n int64) {
	if f.held()+n > f.limits.memory {
		f.stop(ErrTooLarge)
	}
}
