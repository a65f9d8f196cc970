package traces

import (
	"context"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/explore/states"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/replay"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// A session is what [Explore] and [Stateful] have both.
type session struct {
	*replay.Judge
	ctx    context.Context
	replay *replay.Replayer
	budget *states.Budget
	pulse  verdict.Pulse

	stopped, advice string // why it has stopped early
	err             error
}

func (s *session) stop(why, advice string) { s.stopped, s.advice = why, advice }

// begin makes the processes of p under a model, whose buffers have that capacity, and a session
// that is still to get a budget. asked is p as it is judged; see [replay.Judge.Asked].
func begin(ctx context.Context, p *program.Program, m memory.Model, buffer int, found func(*abstract.State)) (s session, ps *processes, asked *program.Program, err error) {
	x, err := abstract.CompileContext(ctx, p, m, nil, buffer)
	if err != nil {
		return s, nil, nil, err
	}
	s = session{ctx: ctx, Judge: replay.NewJudge(x, p.Properties)}
	if found != nil {
		s.Judge = replay.NewLister(x, found)
	}
	asked = s.Asked(p)
	ps = newProcesses(x, m, asked.Properties)
	if found != nil {
		ps.only = x.NewState()
	}
	s.replay, err = replay.New(asked, m, nil)
	return s, ps, asked, err
}
