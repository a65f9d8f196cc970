package c_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/fencepost-verifier/fencepost/engine"
	"github.com/fencepost-verifier/fencepost/lang/c"
	"github.com/fencepost-verifier/fencepost/memory"
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
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			p := read(t, "crowd.c", fmt.Sprintf(text, asked), c.Options{Mapping: c.Orders})
			r, err := engine.DataRaces(ctx, p, engine.Options{Model: memory.SC, Engine: engine.Auto})
			if err != nil || r.Verdict().String() != want {
				t.Errorf("%v, %v; want %s", r, err, want)
			}
		})
	}
}
