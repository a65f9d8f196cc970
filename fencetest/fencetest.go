// Package fencetest checks concurrent programs from Go tests: one line says that a file is safe, or
// that it is not, and a test that fails shows the run that breaks the program.
//
//	func TestQueue(t *testing.T) {
//		fencetest.Safe(t, "testdata/queue.imp", fencepost.Under(fencepost.PSO))
//	}
//
// The work ends a little before the test does ("go test -timeout"), and with it. What is not known
// then is a failure: a test that passes has a verdict.
package fencetest

import (
	"context"
	"testing"
	"time"

	"github.com/fencepost-verifier/fencepost"
)

// Safe fails the test unless the program in the file is safe.
func Safe(t testing.TB, file string, opts ...fencepost.Option) {
	t.Helper()
	is(t, fencepost.IsSafe, file, opts)
}

// Unsafe fails the test unless a run of the program in the file violates a property.
func Unsafe(t testing.TB, file string, opts ...fencepost.Option) {
	t.Helper()
	is(t, fencepost.IsUnsafe, file, opts)
}

func is(t testing.TB, want fencepost.Verdict, file string, opts []fencepost.Option) {
	t.Helper()
	p := load(t, file, opts)
	ctx, cancel := limits(t)
	defer cancel()
	r, err := fencepost.Check(ctx, p, opts...)
	if err != nil {
		t.Fatal(err)
	}
	if r.Verdict() != want {
		t.Errorf("want %s\n%s", want, r)
	}
}

// Robust fails the test unless the program in the file behaves under TSO as under SC.
func Robust(t testing.TB, file string, opts ...fencepost.Option) {
	t.Helper()
	p := load(t, file, opts)
	ctx, cancel := limits(t)
	defer cancel()
	r, err := fencepost.Robust(ctx, p, opts...)
	if err != nil {
		t.Fatal(err)
	}
	if r.Verdict() != fencepost.IsSafe {
		t.Errorf("want ROBUST\n%s", r)
	}
}

func load(t testing.TB, file string, opts []fencepost.Option) *fencepost.Program {
	t.Helper()
	p, err := fencepost.Load(file, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// limits is the context of the test, with time left to say what is known.
func limits(t testing.TB) (context.Context, context.CancelFunc) {
	if d, ok := t.(interface{ Deadline() (time.Time, bool) }); ok {
		if end, ok := d.Deadline(); ok {
			return context.WithDeadline(t.Context(), end.Add(-time.Until(end)/20))
		}
	}
	return context.WithCancel(t.Context())
}
