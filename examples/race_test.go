package examples_test

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/fencepost-verifier/fencepost/engine"
	"github.com/fencepost-verifier/fencepost/lang"
)

// Data races of the C programs, and what it takes that there are none; nil: there is none as it is.
var raceRows = []struct {
	file    string
	defines defines
	race    string
}{
	{"c/bakery.c", nil, safe},
	{"c/barrier.c", nil, safe},
	{"c/bounded-buffer.c", nil, safe},
	{"c/bounded-buffer.c", defines{"FORGET": 1}, unsafe},
	{"c/burns.c", nil, safe},
	// take stores the end relaxed, over what push has released: by C++20 that is the end of the release
	// sequence, and a thief that reads it has acquired nothing of what push put there.
	{"c/chase-lev.c", nil, unsafe},
	{"c/chase-lev.c", fixed, safe},
	{"c/cilk-the.c", nil, safe},
	{"c/clh-lock.c", nil, safe},
	{"c/dekker.c", nil, safe},
	{"c/dijkstra.c", nil, safe},
	{"c/double-checked.c", nil, safe},
	{"c/futex-mutex.c", nil, safe},
	{"c/futex-mutex.c", defines{"BROKEN": 1}, unsafe},
	{"c/hazard-pointer.c", nil, safe},
	{"c/lamport-fast.c", nil, safe},
	{"c/lazy-flag.c", nil, unsafe},
	{"c/lazy-flag.c", fixed, safe},
	{"c/mcs-lock.c", nil, safe},
	{"c/message-passing.c", nil, safe},
	{"c/mpmc-ring.c", nil, safe},
	{"c/ms-queue.c", nil, safe},
	{"c/nbw.c", nil, safe},
	{"c/parker.c", nil, safe},
	{"c/peterson.c", nil, safe},
	{"c/peterson-n.c", nil, safe},
	{"c/philosophers.c", nil, safe},
	{"c/refcount.c", nil, unsafe},
	{"c/refcount.c", fixed, safe},
	{"c/refcount.c", with(fixed, "N", 3), safe},
	{"c/rwlock.c", nil, safe},
	{"c/sb-ring.c", nil, safe},
	{"c/seqlock.c", nil, safe},
	{"c/collocation.c", nil, unknown},
	{"c/lock-with-waiters.c", nil, unknown},
	{"c/seqlock-plain.c", nil, unsafe},
	{"c/seqlock-plain.c", fixed, safe},
	{"c/spinlock.c", nil, safe},
	{"c/spsc-ring.c", nil, safe},
	{"c/szymanski.c", nil, safe},
	{"c/szymanski-n.c", nil, safe},
	{"c/ticket-lock.c", nil, safe},
	{"c/treiber-stack.c", nil, safe},
}

func TestDataRaces(t *testing.T) {
	promise := regexp.MustCompile(`(?m)^// Data races: +(SAFE|UNSAFE)\b`)
	rows := map[string]bool{}
	for _, r := range raceRows {
		rows[r.file] = true
		text, err := os.ReadFile(r.file)
		if err != nil {
			t.Fatal(err)
		}
		if m := promise.FindStringSubmatch(string(text)); m != nil && r.defines == nil && m[1] != r.race {
			t.Errorf("%s: the comment says %s, the table %s", r.file, m[1], r.race)
		}
		t.Run(r.file, func(t *testing.T) {
			t.Parallel()
			p, err := lang.Load(r.file, r.defines, lang.C{Orders: true})
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			if res, err := engine.DataRaces(ctx, p, engine.Options{}); err != nil || res.Verdict().String() != r.race {
				t.Errorf("%v, %v, want %s", res, err, r.race)
			}
		})
	}
	all, _ := filepath.Glob("c/*.c")
	for _, file := range all {
		if !rows[filepath.ToSlash(file)] {
			t.Errorf("%s has no row", file)
		}
	}
}

func TestDeadlocks(t *testing.T) {
	for _, r := range []struct {
		file    string
		defines defines
		want    string
	}{
		{"c/philosophers.c", nil, unsafe},
		{"c/philosophers.c", fixed, safe},
		{"c/bounded-buffer.c", nil, safe},
		{"c/futex-mutex.c", nil, safe},
		{"c/futex-mutex.c", defines{"N": 3}, safe},
		{"c/futex-mutex.c", defines{"HASTY": 1}, safe},
		{"c/futex-mutex.c", defines{"HASTY": 1, "N": 3}, unsafe},
	} {
		p, err := lang.Load(r.file, r.defines, lang.C{Signals: true})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		if res, err := engine.Deadlocks(ctx, p, engine.Options{}); err != nil || res.Verdict().String() != r.want {
			t.Errorf("%s with %v: %v, %v, want %s", r.file, r.defines, res, err, r.want)
		}
	}
}
