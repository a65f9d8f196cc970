package explain_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/fencepost-verifier/fencepost/explain"
	"github.com/fencepost-verifier/fencepost/internal/enginetest"
	"github.com/fencepost-verifier/fencepost/internal/polled"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// stores is a program of so many threads that store so often to one cell.
func stores(threads, n int) string {
	var b strings.Builder
	b.WriteString(header)
	for t := range threads {
		fmt.Fprintf(&b, "process P%d\nbegin\n  skip", t)
		for i := range n {
			fmt.Fprintf(&b, ";\n  x := %d", 1+t*n+i)
		}
		b.WriteString("\nend\n")
	}
	fmt.Fprintf(&b, "exists x = %d\n", threads*n+1)
	return b.String()
}

// TestLimits has programs of which an execution is large.
func TestLimits(t *testing.T) {
	for _, tt := range []struct {
		threads, n int
		memory     int64
		reason     string
	}{
		{2, 300, 0, "time limit"},
		{2, 300, 20 << 20, "memory limit"},
		{2, 480, 1 << 30, "time limit"},
	} {
		p := enginetest.Parse(t, "p.imp", stores(tt.threads, tt.n))
		limit := time.Second
		if tt.reason != "time limit" {
			limit = time.Minute
		}
		ctx, cancel := context.WithTimeoutCause(t.Context(), limit, context.DeadlineExceeded)
		start := time.Now()
		e, err := explain.Outcome(ctx, p, explain.Options{MemoryLimit: tt.memory})
		cancel()
		if err != nil {
			t.Fatal(err)
		}
		if took := time.Since(start); tt.reason == "time limit" && took > limit+2*time.Second {
			t.Errorf("%d threads of %d stores: %v with a limit of %v", tt.threads, tt.n, took, limit)
		}
		if e.Verdict != verdict.IsUnknown || !strings.Contains(e.Reason, tt.reason) {
			t.Errorf("%d threads of %d stores: %s, %q, want %q", tt.threads, tt.n, e.Verdict, e.Reason, tt.reason)
		}
	}
}

// TestPolls: wherever the context ends, nobody claims what is not so, and what is left to
// do is no more than a poll or two.
func TestPolls(t *testing.T) {
	p := enginetest.Parse(t, "p.imp", header+"process A local r begin x := 1; x := 2; r := y end\n"+
		"process B local r begin y := 1; y := 2; r := x end\nexists A.r = 0 & B.r = 1")
	all := polled.EndAt(t.Context(), 1<<40)
	want, err := explain.Outcome(all, p, explain.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range polled.Samples(all.Polls(), 60) {
		ctx := polled.EndAt(t.Context(), n)
		e, err := explain.Outcome(ctx, p, explain.Options{})
		if err != nil && err != context.Canceled {
			t.Fatal(err)
		}
		if err == nil && e.Verdict != want.Verdict && (e.Verdict != verdict.IsUnknown || e.Reason == "") {
			t.Errorf("ends at poll %d: %s, %q", n, e.Verdict, e.Reason)
		}
		if more := ctx.Polls() - n; more > 40 {
			t.Errorf("ends at poll %d, and is asked %d times more", n, more)
		}
	}
}
