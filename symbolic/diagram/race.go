package diagram

import (
	"context"
	"errors"
)

// A Run is what [Store.Saturate] is given, in a store of its own.
type Run struct {
	Store *Store
	From  Node
	Steps []Rel
}

// slice is how many operations a run goes on before it waits for the others.
const slice = 1 << 18

// errLost is that another run was the first.
var errLost = errors.New("another run was the first")

// Race saturates in several stores side by side, and returns the index of the run
// that needs the fewest operations, and its set. Which one that is does not depend
// on the machine: the runs wait for each other after every slice, and of those
// that end in the same one the first counts. None goes on when Race returns or panics,
// as it does where a run does. A run whose store is full leaves the
// race; the error is that of ctx, or [ErrFull] where all are.
func Race(ctx context.Context, runs []Run) (int, Node, error) {
	type report struct {
		over  bool
		set   Node
		err   error
		panic any
	}
	reports, goOn := make([]chan report, len(runs)), make([]chan bool, len(runs))
	for i, r := range runs {
		reports[i], goOn[i] = make(chan report), make(chan bool)
		r.Store.pause = func() error {
			reports[i] <- report{}
			if !<-goOn[i] {
				return errLost
			}
			return nil
		}
		go func() {
			last := report{over: true}
			defer func() {
				last.panic = recover()
				r.Store.pause = nil
				reports[i] <- last
			}()
			last.set, last.err = r.Store.Saturate(ctx, r.From, r.Steps)
		}()
	}
	first, last := -1, make([]report, len(runs))
	var panicked any // the others are to end before it goes on
	for racing := len(runs); racing > 0; {
		for i := range runs {
			if last[i].over {
				continue
			}
			if last[i] = <-reports[i]; last[i].panic != nil {
				panicked = last[i].panic
			}
			if last[i].over {
				racing--
			}
			if last[i].over && last[i].err == nil && last[i].panic == nil && first < 0 {
				first = i
			}
		}
		for i := range runs {
			if !last[i].over {
				goOn[i] <- first < 0 && panicked == nil
			}
		}
	}
	if panicked != nil {
		panic(panicked)
	}
	if first >= 0 {
		return first, last[first].set, nil
	}
	if ctx.Err() != nil {
		return -1, Empty, ctx.Err()
	}
	return -1, Empty, ErrFull
}
