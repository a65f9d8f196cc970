package fencepost

import (
	"cmp"
	"context"
	"io"

	"github.com/fencepost-verifier/fencepost/engine"
	"github.com/fencepost-verifier/fencepost/report"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// States is the answer of [FinalStates]. Where the list is complete the result is safe, and else
// unknown, with the reason.
type States struct {
	*verdict.Result
	List []verdict.FinalState // each once, in ascending order of memory and registers
}

// FinalStates lists the states in which p can end: all threads at their ends, all store buffers
// empty.
func FinalStates(ctx context.Context, p *Program, opts ...Option) (*States, error) {
	ctx, cancel, o := begin(ctx, opts)
	defer cancel()
	list, r, err := engine.FinalStates(ctx, p, o.Options)
	if _, err := judged(r, err); err != nil {
		return nil, err
	}
	return &States{r, list}, nil
}

// Print writes the states in a style.
func (s *States) Print(w io.Writer, st Style) error {
	return report.States(w, s.Program(), s.List, s.Result, cmp.Or(st.Format, Text))
}

func (s *States) String() string { return text(s) }
