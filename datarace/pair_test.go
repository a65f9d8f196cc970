package datarace_test

import (
	"context"
	"testing"

	"github.com/fencepost-verifier/fencepost/engine"
	"github.com/fencepost-verifier/fencepost/lang"
	"github.com/fencepost-verifier/fencepost/program"
)

// TestPair: of a run with a race the pair is named that nothing orders, and not one that the
// lock of a section orders.
func TestPair(t *testing.T) {
	const text = `#include <pthread.h>
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
int locked, bare, n = 2;
static void add(void)
{
	__VERIFIER_atomic_begin();
	for (int i = 0; i < n; i++)
		locked++;
	__VERIFIER_atomic_end();
}
void *f(void *arg) { add(); bare = 1; return 0; }
int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, f, 0);
	add();
	bare = 2;
	pthread_join(t, 0);
	return 0;
}
`
	p, err := lang.Parse(&program.Source{Name: "pair.c", Text: text}, nil, lang.C{Orders: true})
	if err != nil {
		t.Fatal(err)
	}
	r, err := engine.DataRaces(context.Background(), p, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !r.Unsafe() || r.Violation().Race == nil {
		t.Fatal(r.Verdict(), r.Reason())
	}
	for _, pos := range []int{r.Violation().Race.First.Pos.Line, r.Violation().Pos.Line} {
		if pos != 12 && pos != 18 {
			t.Errorf("line %d is named, where nothing races", pos)
		}
	}
}
