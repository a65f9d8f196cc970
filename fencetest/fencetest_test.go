package fencetest_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/fencepost-verifier/fencepost"
	"github.com/fencepost-verifier/fencepost/fencetest"
)

func Example() {
	var t *testing.T // of a test function
	_ = func() {
		fencetest.Safe(t, "testdata/queue.imp", fencepost.Under(fencepost.PSO), fencepost.Define("N", 3))
	}
}

const (
	dekker = "../examples/dekker.imp"
	fenced = "../examples/dekker-fenced.imp"
)

func TestPasses(t *testing.T) {
	fencetest.Safe(t, fenced)
	fencetest.Safe(t, dekker, fencepost.Under(fencepost.SC))
	fencetest.Unsafe(t, dekker)
	fencetest.Robust(t, "../examples/peterson-fenced.imp")
}

// A recorder is a test that notes how it fails.
type recorder struct {
	testing.TB
	said string
	ctx  context.Context
}

func (r *recorder) Helper()                      {}
func (r *recorder) Context() context.Context     { return r.ctx }
func (r *recorder) Errorf(f string, args ...any) { r.said += fmt.Sprintf(f, args...) }
func (r *recorder) Fatal(args ...any) {
	r.said += fmt.Sprint(args...)
	panic(r)
}

func TestFailures(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, tt := range []struct {
		name string
		ctx  context.Context
		run  func(t testing.TB)
		want string
	}{
		{"unsafe", t.Context(), func(t testing.TB) { fencetest.Safe(t, dekker) }, "want SAFE\nUNSAFE  ../examples/dekker.imp"},
		{"safe", t.Context(), func(t testing.TB) { fencetest.Unsafe(t, fenced) }, "want UNSAFE\nSAFE  ../examples/dekker-fenced.imp"},
		{"not robust", t.Context(), func(t testing.TB) { fencetest.Robust(t, dekker) }, "want ROBUST\nNOT ROBUST"},
		{"no file", t.Context(), func(t testing.TB) { fencetest.Safe(t, "no.imp") }, "no.imp: cannot be read"},
		{"ended", ended, func(t testing.TB) { fencetest.Safe(t, fenced) }, "want SAFE\nUNKNOWN"},
		{"no time", t.Context(), func(t testing.TB) { fencetest.Safe(t, fenced, fencepost.Timeout(time.Nanosecond)) }, "want SAFE\nUNKNOWN"},
	} {
		r := &recorder{TB: t, ctx: tt.ctx}
		func() {
			defer func() {
				if v := recover(); v != nil && v != any(r) {
					panic(v)
				}
			}()
			tt.run(r)
		}()
		if !strings.HasPrefix(r.said, tt.want) {
			t.Errorf("%s: said %q", tt.name, r.said)
		}
	}
}
