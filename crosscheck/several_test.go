package crosscheck

import (
	"testing"
	"time"

	"github.com/fencepost-verifier/fencepost/lang/c"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// TestSeveralCells: accesses of several sizes to one cell are one step to every engine that knows them, however the program has been read.
func TestSeveralCells(t *testing.T) {
	p, err := c.Parse(&program.Source{Name: "main.c", Text: `#include <assert.h>
#include <pthread.h>
#include <stdint.h>
volatile union { uint64_t w; uint32_t h[2]; } u;
void *f(void *a) { u.h[1] = 7; u.w = 0x100000001; return 0; }
int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); uint64_t x = u.w; pthread_join(t, 0); assert(x == 0 || x == 0x700000000 || x == 0x100000001); }
`}, c.Options{})
	if err != nil {
		t.Fatal(err)
	}
	found, err := Run(t.Context(), p, Options{Timeout: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	for i := range found.Rows {
		if r := &found.Rows[i]; r.Err != nil || r.Claim == verdict.ClaimsViolated {
			t.Errorf("%s under %s: %s %v", r.Engine, r.Model, r.Claim, r.Err)
		}
	}
	for _, x := range found.Contradictions {
		t.Error(x.Text)
	}
}
