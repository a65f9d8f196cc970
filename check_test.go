package fencepost_test

import (
	"io"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost"
)

// TestForLoad: C is read for a question, and nothing else is answered.
func TestForLoad(t *testing.T) {
	const lost = "lang/c/testdata/verdicts/cond-lost.c"
	for _, property := range []fencepost.Property{fencepost.NoDeadlock, fencepost.NoHang} {
		p, err := fencepost.Load(lost)
		if err != nil {
			t.Fatal(err)
		}
		if r, err := fencepost.Check(t.Context(), p, fencepost.For(property)); err == nil || !strings.Contains(err.Error(), "the same option For") {
			t.Errorf("%s: %v, %v", property, r, err)
		}
		if p, err = fencepost.Load(lost, fencepost.For(property)); err != nil {
			t.Fatal(err)
		}
		if r, err := fencepost.Check(t.Context(), p, fencepost.For(property)); err != nil || r.Verdict() != fencepost.IsUnsafe {
			t.Errorf("%s: %v, %v", property, r, err)
		}
	}
}

// TestOutside: who waits for a signal may get one, and who waits for what no signal does is told so where no function is set.
func TestOutside(t *testing.T) {
	const waits = `#include <signal.h>
_Atomic int stop;
void stops(int s) { stop = 1; }
int main(void) {
	signal(SIGINT, HANDLER);
	while (!stop)
		;
	return 0;
}
`
	for handler, want := range map[string]fencepost.Verdict{"stops": fencepost.IsUnknown, "SIG_IGN": fencepost.IsUnsafe} {
		for _, property := range []fencepost.Property{fencepost.NoDeadlock, fencepost.NoHang} {
			p, err := fencepost.Read("stop.c", strings.NewReader(strings.ReplaceAll(waits, "HANDLER", handler)), fencepost.For(property))
			if err != nil {
				t.Fatal(err)
			}
			r, err := fencepost.Check(t.Context(), p, fencepost.For(property))
			if err != nil || r.Verdict() != want {
				t.Errorf("%s, %s: %v, %v", handler, property, r, err)
			}
		}
	}
}

// TestOrdered: what is concluded of C from the order of stores holds where they keep it, and is asked nowhere else.
func TestOrdered(t *testing.T) {
	const published = `#include <assert.h>
#include <stdlib.h>
#include <pthread.h>
#include <stdatomic.h>
int *_Atomic shared;
void *f(void *a) { int *p = malloc(sizeof *p); *p = 1; atomic_store_explicit(&shared, p, memory_order_release); return 0; }
int main(void) {
	pthread_t t;
	pthread_create(&t, 0, f, 0);
	int *p = atomic_load_explicit(&shared, memory_order_acquire);
	if (p) assert(*p == 1);
}`
	p, err := fencepost.Read("main.c", strings.NewReader(published), fencepost.Under(fencepost.TSO))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []fencepost.Model{fencepost.SC, fencepost.TSO} {
		if r, err := fencepost.Check(t.Context(), p, fencepost.Under(m)); err != nil || r.Verdict() != fencepost.IsSafe {
			t.Errorf("%s: %v, %v", m, r, err)
		}
	}
	pso := fencepost.Under(fencepost.PSO)
	for name, ask := range map[string]func() error{
		"Check": func() error { _, err := fencepost.Check(t.Context(), p, pso); return err },
		"data races": func() error {
			race := fencepost.For(fencepost.NoDataRace)
			p, err := fencepost.Read("main.c", strings.NewReader(published), fencepost.Under(fencepost.TSO), race)
			if err == nil {
				_, err = fencepost.Check(t.Context(), p, fencepost.Under(fencepost.RC11), race)
			}
			return err
		},
		"LB races": func() error {
			_, err := fencepost.Check(t.Context(), p, pso, fencepost.For(fencepost.NoLBRace))
			return err
		},
		"FinalStates": func() error { _, err := fencepost.FinalStates(t.Context(), p, pso); return err },
		"Explore": func() error {
			_, err := fencepost.Explore(t.Context(), p, fencepost.Countings()[0], pso)
			return err
		},
		"EstimateCount": func() error {
			_, err := fencepost.EstimateCount(t.Context(), p, fencepost.Countings()[0], pso)
			return err
		},
		"Explain":  func() error { _, err := fencepost.Explain(t.Context(), p, pso); return err },
		"Compare":  func() error { _, err := fencepost.Compare(t.Context(), p, nil, nil); return err },
		"automata": func() error { return fencepost.Convert(io.Discard, p, fencepost.Automata) },
	} {
		if err := ask(); err == nil || !strings.Contains(err.Error(), "read for sc and tso") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if p, err = fencepost.Read("main.c", strings.NewReader(published), pso); err != nil {
		t.Fatal(err)
	}
	if r, err := fencepost.Check(t.Context(), p, pso); err != nil || r.Verdict() != fencepost.IsUnsafe {
		t.Errorf("PSO: %v, %v", r, err)
	}
}
