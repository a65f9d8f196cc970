package c_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/fencepost-verifier/fencepost/engine"
	"github.com/fencepost-verifier/fencepost/lang/c"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// TestCrowd: of many threads that store numbers of their own into a mutex it is told who may have it after whom, and that they are alike.
func TestCrowd(t *testing.T) {
	const text = `#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; int taken, ready, data;
void *f(void *v) {
	pthread_mutex_lock(&m); int mine = !taken; taken = 1; pthread_mutex_unlock(&m);
	if (mine) { data = 5; pthread_mutex_lock(&m); ready = 1; pthread_mutex_unlock(&m); return 0; }
	pthread_mutex_lock(&m); int r = %s; pthread_mutex_unlock(&m);
	int k = 0; if (r) k = data;
	return 0;
}
int main(void) { pthread_t t[20]; for (int i = 0; i < 20; i++) pthread_create(&t[i], 0, f, 0); for (int i = 0; i < 20; i++) pthread_join(t[i], 0); return 0; }
`
	for asked, want := range map[string]string{"ready": "SAFE", "taken": "UNSAFE"} {
		t.Run(asked, func(t *testing.T) {
			t.Parallel()
			if r := races(t, fmt.Sprintf(text, asked)); r.Verdict().String() != want {
				t.Errorf("%v, want %s", r, want)
			}
		})
	}
}

// races is whether a program has data races under SC.
func races(t *testing.T, text string) *verdict.Result {
	t.Helper()
	return racesUnder(t, memory.SC, text, c.Options{})
}

// racesUnder is whether it has, under a model and read with more options.
func racesUnder(t *testing.T, model memory.Model, text string, opts c.Options) *verdict.Result {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	opts.Mapping, opts.Races = c.Orders, true
	p := read(t, "main.c", text, opts)
	r, err := engine.DataRaces(ctx, p, engine.Options{Model: model, Engine: engine.Auto})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestRacesOfWaits has workers that nobody waits for, and conditions that are destroyed when they have said that they end: where nothing but races
// is looked for, who waits for them is not known, and the accesses in conflict are known to be ordered without a monitor.
func TestRacesOfWaits(t *testing.T) {
	const text = `#include <pthread.h>
#include <stdlib.h>
typedef struct { pthread_mutex_t m; pthread_cond_t work, idle; int jobs, stop, threads, done; } pool;
int data;
void *worker(void *a) {
	pool *p = a;
	for (;;) {
		pthread_mutex_lock(&p->m);
		while (!p->jobs && !p->stop) pthread_cond_wait(&p->work, &p->m);
		if (p->stop) break;
		p->jobs--;
		%[1]s
		pthread_mutex_unlock(&p->m);
		%[2]s
		pthread_mutex_lock(&p->m); p->done++; pthread_cond_signal(&p->idle); pthread_mutex_unlock(&p->m);
	}
	p->threads--; pthread_cond_signal(&p->idle); pthread_mutex_unlock(&p->m);
	return 0;
}
int main(void) {
	pool *p = calloc(1, sizeof *p); if (!p) return 1;
	pthread_mutex_init(&p->m, 0); pthread_cond_init(&p->work, 0); pthread_cond_init(&p->idle, 0);
	for (int i = 0; i < 2; i++) { pthread_t t; pthread_create(&t, 0, worker, p); pthread_detach(t); p->threads++; }
	pthread_mutex_lock(&p->m); p->jobs = 2; pthread_cond_broadcast(&p->work);
	while (p->done < 2) pthread_cond_wait(&p->idle, &p->m);
	p->stop = 1; pthread_cond_broadcast(&p->work);
	while (p->threads) pthread_cond_wait(&p->idle, &p->m);
	int k = data; (void)k;
	pthread_mutex_unlock(&p->m);
	pthread_mutex_destroy(&p->m); pthread_cond_destroy(&p->work); pthread_cond_destroy(&p->idle); free(p);
	return 0;
}
`
	for name, x := range map[string]struct{ in, out, want string }{
		"under the mutex": {"data++;", "", "SAFE"},
		"beside it":       {"", "data++;", "UNSAFE"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := races(t, fmt.Sprintf(strings.Replace(text, "p->threads++; }", "} p->threads = 2;", 1), x.in, x.out))
			if r.Verdict().String() != x.want {
				t.Errorf("%v, want %s", r, x.want)
			}
		})
	}
}
