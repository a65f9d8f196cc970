package refine

import (
	"context"
	"fmt"
	"time"

	"github.com/fencepost-verifier/fencepost/program"
)

// TRF decides whether p is free of triangular races (Owens, "Reasoning about the
// Implementation of Concurrency Abstractions on x86-TSO", ECOOP 2010): a thread
// stores and then, with no fence in between and with that store and the later
// ones seen by itself only, loads from another address, to which another thread
// stores next. A witness against robustness begins with such a race, whatever
// closes its cycle; so a program without races is robust, though not every
// robust program is without. IsRobust stands for freedom, NotRobust for a race,
// which Attack and Run show.
func TRF(ctx context.Context, p *program.Program, opts Options) (*RobustResult, error) {
	start := time.Now()
	x, err := newRobustness(p, opts)
	if err != nil {
		return nil, err
	}
	x.race = true
	for t := range p.Threads {
		x.threats = append(x.threats, newThreat(p, x.x.Ranges, t, true))
	}
	res := &RobustResult{Program: p}
	w, err := x.search(ctx, x.threats)
	if err != nil {
		return nil, err
	}
	x.conclude(ctx, res)
	if w != nil {
		res.Verdict, res.Reason, res.Advice = NotRobust, "", ""
		res.Attack = w.attack()
		if res.Run, err = trace(p, w.schedule(p, false)); err != nil {
			return nil, fmt.Errorf("internal error: the race found does not replay: %w", err)
		}
	}
	res.Elapsed = time.Since(start)
	return res, nil
}
