package peers_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/fencepost-verifier/fencepost/bench/internal/peers"
)

// stub is a tool that is a shell script.
func stub(t *testing.T, script string) *peers.Tool {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("no shell")
	}
	path := filepath.Join(t.TempDir(), "stub")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return &peers.Tool{Name: "stub", Path: path}
}

// TestVerdicts has what a tool prints, and its exit status, and what that means: a
// verdict, or an error that shows what was wrong.
func TestVerdicts(t *testing.T) {
	cbmc := func(ctx context.Context, t *peers.Tool) (peers.Sample, error) {
		return peers.CBMC(ctx, t, "tso", 0, t.Path)
	}
	bounded := func(ctx context.Context, t *peers.Tool) (peers.Sample, error) {
		return peers.CBMC(ctx, t, "tso", 3, t.Path, "N=2")
	}
	nidhugg := func(ctx context.Context, t *peers.Tool) (peers.Sample, error) {
		return peers.Nidhugg(ctx, t, "tso", 3, t.Path, "N=2")
	}
	genmc := func(ctx context.Context, t *peers.Tool) (peers.Sample, error) {
		return peers.GenMC(ctx, t, "tso", 3, t.Path)
	}
	trencher := func(ctx context.Context, t *peers.Tool) (peers.Sample, error) { return peers.Trencher(ctx, t, t.Path) }
	fencepost := func(ctx context.Context, t *peers.Tool) (peers.Sample, error) {
		return peers.Fencepost(ctx, t, time.Minute, "check", "f.imp")
	}
	for _, c := range []struct {
		name, script string
		ask          func(context.Context, *peers.Tool) (peers.Sample, error)
		want, err    string
	}{
		{"cbmc, safe", "echo VERIFICATION SUCCESSFUL", cbmc, "none", ""},
		{"cbmc, unsafe", "echo VERIFICATION FAILED; exit 10", cbmc, "UNSAFE", ""},
		{"cbmc, refused", "echo pointer handling for concurrency is unsound; exit 6", cbmc, "", "exit status 6: pointer handling"},
		{"cbmc, nothing said", "true", cbmc, "", "exit status 0"},
		{"cbmc, bounded", "echo \"$@\"; echo VERIFICATION FAILED; exit 10", bounded, "UNSAFE", ""},
		{"nidhugg, safe", "echo No errors were detected.", nidhugg, "none", ""},
		{"nidhugg, unsafe", "echo 'Error detected:'; exit 42", nidhugg, "UNSAFE", ""},
		{"nidhugg, crash", "echo undefined symbol >&2; exit 1", nidhugg, "", "undefined symbol"},
		{"genmc, safe", "echo '*** Verification complete. No errors were detected.'", genmc, "none", ""},
		{"genmc, unsafe", "echo 'Error detected: Safety violation!'; exit 42", genmc, "UNSAFE", ""},
		{"genmc, refused", "echo 'unsupported'; exit 5", genmc, "", "exit status 5: unsupported"},
		{"trencher, robust", "echo The program IS robust.", trencher, "ROBUST", ""},
		{"trencher, not robust", "echo The program IS NOT robust.", trencher, "NOT ROBUST", ""},
		{"trencher, crash", "echo IS robust; kill -SEGV $$", trencher, "", "signal"},
		{"trencher, parse error", "echo unexpected token >&2; exit 1", trencher, "", "unexpected token"},
		{"ours", `echo '{"verdict": "SAFE", "stats": {"states": 3}}'`, fencepost, "SAFE", ""},
		{"ours, unknown", `echo '{"verdict": "UNKNOWN", "reason": "the time limit"}'; exit 3`, fencepost, "UNKNOWN", ""},
		{"ours, bad input", `echo '{"verdict": "ERROR", "error": "f.imp:1:1: expected program"}'; exit 2`, fencepost, "", "expected program"},
		{"ours, usage", "echo unknown engine >&2; exit 2", fencepost, "", "unknown engine"},
	} {
		s, err := c.ask(context.Background(), stub(t, c.script))
		if s.Verdict != c.want || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: %q, error %v; want %q, error %q", c.name, s.Verdict, err, c.want, c.err)
		}
	}
}

// TestPeak: what a process has in use is known where the system tells.
func TestPeak(t *testing.T) {
	r, err := stub(t, "true").Must(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	if want := runtime.GOOS == "linux" || runtime.GOOS == "darwin"; want != (r.Peak > 100<<10 && r.Peak < 1<<30) {
		t.Errorf("%d bytes", r.Peak)
	}
}

func TestLimit(t *testing.T) {
	tool := stub(t, "sleep 5 & wait; echo VERIFICATION SUCCESSFUL")
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	if s, err := peers.CBMC(ctx, tool, "tso", 0, tool.Path); !errors.Is(err, peers.ErrLimit) {
		t.Errorf("%v, error %v; want the time limit", s, err)
	}
}

func TestFind(t *testing.T) {
	if _, err := peers.Find("no-such-tool"); err == nil || !strings.Contains(err.Error(), "no-such-tool is not on the path") {
		t.Errorf("error %v", err)
	}
}
