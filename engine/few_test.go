package engine

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/fencepost-verifier/fencepost/internal/enginetest"
	"github.com/fencepost-verifier/fencepost/internal/randprog"
	"github.com/fencepost-verifier/fencepost/internal/reference"
	"github.com/fencepost-verifier/fencepost/lang"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// TestFewRandom: what few of the threads can do wrong the whole program can, and what all of them can is found when all are there.
func TestFewRandom(t *testing.T) {
	n := uint64(60)
	if testing.Short() {
		n = 30
	}
	unsafe, missed := 0, 0
	for seed := range n {
		rng := rand.New(rand.NewPCG(seed, 71))
		p := randprog.New(rng, randprog.Options{Threads: randprog.Range{Min: 3, Max: 4}, Commands: randprog.Range{Min: 2, Max: 3}, Start: 80, Assert: 2, Branch: 2, Lock: -1})
		for _, th := range p.Threads {
			if th.States[th.Initial].Kind == program.Unstarted {
				th.States[th.Initial].Pos = program.Position{File: "p", Line: 1, Col: 1}
			}
		}
		for _, m := range []memory.Model{memory.SC, memory.TSO} {
			whole := reference.Search(p, m, 2, 100_000)
			if whole.Unfinished || whole.Capped {
				continue
			}
			for k := range crowd(p) {
				q := fewer(p, k)
				if err := program.Sanity(q); err != nil {
					t.Fatalf("seed %d, %d threads: %v", seed, k, err)
				}
				few := reference.Search(q, m, 2, 100_000)
				for v := range few.Violations {
					if !whole.Violations[v] {
						t.Fatalf("seed %d, %d threads, %s: %s is none of the whole program\n%s", seed, k, m, v, enginetest.Text(p))
					}
				}
				if len(few.Finals) > 0 && len(whole.Finals) == 0 {
					t.Fatalf("seed %d, %d threads, %s: there are final states\n%s", seed, k, m, enginetest.Text(p))
				}
			}
			if crowd(p) < 3 {
				continue
			}
			r, err := withFew(explicitEngine()).Check(t.Context(), p, Options{Model: m}.WithDefaults())
			switch {
			case err != nil:
				t.Fatalf("seed %d, %s: %v\n%s", seed, m, err, enginetest.Text(p))
			case r.Safe() || r.Unsafe() && (len(whole.Violations) == 0 || enginetest.Replays(p, r) != nil):
				t.Fatalf("seed %d, %s: %s\n%s", seed, m, r.Verdict(), enginetest.Text(p))
			case r.Unsafe():
				unsafe++
			case len(whole.Violations) > 0:
				missed++
			}
		}
	}
	t.Logf("%d violations found, %d need more threads", unsafe, missed)
	if unsafe == 0 || missed == 0 {
		t.Error("the programs are of one kind")
	}
}

// TestFewThreads: a race of two among as many threads as are modelled is found soon.
func TestFewThreads(t *testing.T) {
	const text = `
#include <pthread.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct worker { pthread_t id; };
int total;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
void *work(void *arg) {
  pthread_mutex_lock(&mutex);
  total = __VERIFIER_nondet_int();
  pthread_mutex_unlock(&mutex);
  return NULL;
}
int main(void) {
  int n = __VERIFIER_nondet_int();
  struct worker **workers = malloc(n * sizeof(struct worker *));
  for (int i = 0; i < n; i++) {
    workers[i] = malloc(sizeof(struct worker));
    pthread_create(&workers[i]->id, NULL, work, workers[i]);
  }
  for (int i = 1; i < n; i++)
    pthread_join(workers[i]->id, NULL);
  return total;
}
`
	p, err := lang.Read("workers.c", strings.NewReader(text), nil, lang.C{Orders: true, Ordered: true, NoFutileWaits: true})
	if err != nil {
		t.Fatal(err)
	}
	if n := crowd(p); n != 8 {
		t.Fatalf("%d threads are alike", n)
	}
	start := time.Now()
	r, err := DataRaces(t.Context(), p, Options{Engine: Auto})
	if err != nil || r.Verdict() != verdict.IsUnsafe {
		t.Fatalf("%v, %v", r, err)
	}
	t.Logf("by %s in %v", r.Engine, time.Since(start))
}
