package peers

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"time"
)

// A Sample is an answer and what it took.
type Sample struct {
	Verdict   string
	Wall, CPU time.Duration
	Peak      int64            // as in [Run]
	Stats     map[string]int64 // of ours
	Engine    string           // of ours: which one it was
}

func (r *Run) sample(verdict string) Sample {
	return Sample{Verdict: verdict, Wall: r.Wall, CPU: r.CPU, Peak: r.Peak}
}

// CBMC has CBMC look for a violated assertion in a C file, under sc, tso or pso, with so many rounds
// of each loop; 0: the loops are bounded. It is UNSAFE where there is one, else "none". Each define is a
// macro, "N=3".
func CBMC(ctx context.Context, t *Tool, model string, unroll int, file string, defines ...string) (Sample, error) {
	// Unwinding assertions and checks for overflow are on unless one says so.
	args := []string{"--mm", model, "--no-unwinding-assertions", "--no-standard-checks"}
	if unroll > 0 {
		args = append(args, "--unwind", fmt.Sprint(unroll))
	}
	for _, d := range defines {
		args = append(args, "-D", d)
	}
	r, err := t.Run(ctx, filepath.Dir(file), append(args, filepath.Base(file))...)
	switch {
	case err != nil:
		return Sample{}, err
	case r.Status == 0 && strings.Contains(r.Out, "VERIFICATION SUCCESSFUL"):
		return r.sample("none"), nil
	case r.Status == 10 && strings.Contains(r.Out, "VERIFICATION FAILED"):
		return r.sample("UNSAFE"), nil
	case strings.Contains(r.Out+r.Err, "pointer handling for concurrency is unsound"):
		return Sample{}, fmt.Errorf("%w: %w", ErrRefused, t.Unexpected(r))
	}
	return Sample{}, t.Unexpected(r)
}

// Trencher has Trencher decide whether the automata in a file are robust.
func Trencher(ctx context.Context, t *Tool, file string) (Sample, error) {
	r, err := t.Run(ctx, filepath.Dir(file), "-r", filepath.Base(file))
	switch {
	case err != nil:
		return Sample{}, err
	case r.Status == 0 && strings.Contains(r.Out, "IS NOT robust"):
		return r.sample("NOT ROBUST"), nil
	case r.Status == 0 && strings.Contains(r.Out, "IS robust"):
		return r.sample("ROBUST"), nil
	}
	return Sample{}, t.Unexpected(r)
}

// Fencepost has a binary of ours answer with "--output json" about one file, within
// a time limit.
func Fencepost(ctx context.Context, t *Tool, limit time.Duration, args ...string) (Sample, error) {
	// It stops by itself and says how far it got; a second more, and it hangs.
	ctx, cancel := context.WithTimeout(ctx, limit+limit/4+time.Second)
	defer cancel()
	r, err := t.Run(ctx, "", append(args, "--timeout", limit.String(), "--output", "json")...)
	if err != nil {
		return Sample{}, err
	}
	var answer struct {
		Verdict, Engine, Error string
		Stats                  map[string]int64
	}
	if err := json.Unmarshal([]byte(r.Out), &answer); err != nil || answer.Verdict == "" {
		return Sample{}, t.Unexpected(r)
	}
	if answer.Verdict == "ERROR" {
		return Sample{}, fmt.Errorf("%s: %s", t.Name, answer.Error)
	}
	s := r.sample(answer.Verdict)
	s.Stats, s.Engine = answer.Stats, answer.Engine
	return s, nil
}

// Decided is true of an answer that is more than "don't know".
func (s Sample) Decided() bool { return s.Verdict != "" && s.Verdict != "UNKNOWN" }

// Nidhugg has nidhuggc look for an error in a C file, under sc, tso or pso, with so many rounds of
// each loop. It is UNSAFE where there is one, else "none".
func Nidhugg(ctx context.Context, t *Tool, model string, unroll int, file string, defines ...string) (Sample, error) {
	args := []string{"-std=c11"}
	for _, d := range defines {
		args = append(args, "-D"+d)
	}
	args = append(args, "--", "--"+model, "--optimal", fmt.Sprintf("--unroll=%d", unroll), filepath.Base(file))
	return t.stateless(ctx, file, args)
}

// GenMC has genmc do that, under sc or tso.
func GenMC(ctx context.Context, t *Tool, model string, unroll int, file string, defines ...string) (Sample, error) {
	args := []string{"--" + model, "--disable-estimation", "--disable-ipr", fmt.Sprintf("--unroll=%d", unroll), "--"}
	for _, d := range defines {
		args = append(args, "-D"+d)
	}
	return t.stateless(ctx, file, append(args, filepath.Base(file)))
}

// stateless runs Nidhugg or GenMC, which say alike what they have found.
func (t *Tool) stateless(ctx context.Context, file string, args []string) (Sample, error) {
	r, err := t.Run(ctx, filepath.Dir(file), args...)
	if err != nil {
		return Sample{}, err
	}
	said := r.Out + r.Err
	switch {
	case r.Status == 0 && strings.Contains(said, "No errors were detected"):
		return r.sample("none"), nil
	case strings.Contains(said, "Error detected"), strings.Contains(said, "\n Error"):
		return r.sample("UNSAFE"), nil
	}
	return Sample{}, t.Unexpected(r)
}
