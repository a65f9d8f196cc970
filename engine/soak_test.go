package engine

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"maps"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fencepost-verifier/fencepost/internal/enginetest"
	"github.com/fencepost-verifier/fencepost/internal/leaks"
	"github.com/fencepost-verifier/fencepost/lang"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/verdict"
)

var (
	soak     = flag.Duration("soak", 0, "for how long TestSoak asks engines about the examples")
	soakOnly = flag.String("soak.engine", "", "the one engine that TestSoak asks")
)

// heapPeak watches what was alive at the collections of garbage, in bytes.
type heapPeak struct {
	mu   sync.Mutex
	most uint64
}

func liveHeap() uint64 {
	s := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

// during is the most that was alive while f ran.
func (h *heapPeak) during(f func()) uint64 {
	h.most = 0
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			h.mu.Lock()
			h.most = max(h.most, liveHeap())
			h.mu.Unlock()
			select {
			case <-done:
				return
			case <-time.After(2 * time.Millisecond):
			}
		}
	})
	f()
	close(done)
	wg.Wait()
	return h.most
}

// TestSoak asks every engine about every example under every model that it is about, again and again for
// as long as -soak says, with little memory: it holds no more than that, gives all of it back, and leaves no
// goroutine behind.
//
//	go test ./engine -run Soak -soak 1h -timeout 0
func TestSoak(t *testing.T) {
	if *soak == 0 {
		t.Skip("-soak says for how long")
	}
	const limit, slack = 64 << 20, 24 << 20
	var files []string
	for _, pattern := range []string{"*.imp", "c/*.c", "thesis/*.imp", "litmus/*.litmus"} {
		found, err := filepath.Glob(filepath.Join(enginetest.Examples(), pattern))
		if err != nil || len(found) == 0 {
			t.Fatal(pattern, err)
		}
		files = append(files, found...)
	}
	debug.SetGCPercent(50) // so that what is alive is seen more often
	worst, asked := map[Name]uint64{}, map[Name]int{}
	runtime.GC()
	first, end := liveHeap(), time.Now().Add(*soak)
	answers := map[string]verdict.Verdict{}
	for round := 0; time.Now().Before(end); round++ {
		for _, file := range files {
			for _, e := range Engines() {
				if *soakOnly != "" && string(e.Name) != *soakOnly {
					continue
				}
				for _, m := range append(memory.Operational(), memory.RA) {
					if !e.Answers(verdict.Safety, m) || time.Now().After(end) {
						continue
					}
					p, err := lang.Load(file, nil)
					if err != nil {
						t.Fatal(err)
					}
					runtime.GC()
					before := liveHeap()
					what := fmt.Sprintf("%s, %s, %s", filepath.Base(file), e.Name, m)
					most := (&heapPeak{}).during(func() {
						ctx, cancel := context.WithTimeout(t.Context(), 4*time.Second)
						defer cancel()
						r, err := Check(ctx, p, Options{Engine: e.Name, Model: m, MemoryLimit: limit})
						if err != nil {
							if strings.Contains(err.Error(), "internal") {
								t.Errorf("%s: %v", what, err)
							}
							return
						}
						key := filepath.Base(file) + ", " + string(m)
						if r.Safe() || r.Unsafe() {
							if v, ok := answers[key]; ok && v != r.Verdict() {
								t.Errorf("%s: %s, and another engine or another time it was %s", what, r.Verdict(), v)
							}
							answers[key] = r.Verdict()
						}
					})
					asked[e.Name]++
					held := most - min(most, before)
					worst[e.Name] = max(worst[e.Name], held)
					if held > limit+slack {
						t.Errorf("%s: holds %d MiB where %d are allowed", what, held>>20, limit>>20)
					}
					if left := leaks.Wait(5 * time.Second); len(left) > 0 {
						t.Fatalf("%s: %d goroutines are left:\n%s", what, len(left), left[0])
					}
					p = nil
					runtime.GC()
					if now := liveHeap(); now > first+slack {
						t.Fatalf("%s: afterwards %d MiB are held, and at first it was %d", what, now>>20, first>>20)
					}
				}
			}
		}
		t.Logf("round %d is done; %d answers are known", round+1, len(answers))
	}
	for _, e := range slices.SortedFunc(maps.Keys(worst), func(a, b Name) int { return cmp.Compare(worst[b], worst[a]) }) {
		t.Logf("%-24s asked %5d times, held at most %d MiB", e, asked[e], worst[e]>>20)
	}
}

// TestHeld is of engines that hold something with every step of a long execution.
func TestHeld(t *testing.T) {
	const limit, slack = 16 << 20, 16 << 20
	for file, e := range map[string]Name{"c/burns.c": "rvf", "c/dekker.c": "executions:source"} {
		p, err := lang.Load(filepath.Join(enginetest.Examples(), file), nil)
		if err != nil {
			t.Fatal(err)
		}
		runtime.GC()
		before := liveHeap()
		most := (&heapPeak{}).during(func() {
			ctx, cancel := context.WithTimeout(t.Context(), 4*time.Second)
			defer cancel()
			if _, err := Check(ctx, p, Options{Engine: e, Model: memory.TSO, MemoryLimit: limit}); err != nil {
				t.Error(err)
			}
			runtime.GC()
		})
		if held := most - min(most, before); held > limit+slack {
			t.Errorf("%s, %s: holds %d MiB where %d are allowed", file, e, held>>20, limit>>20)
		}
	}
}
