package main

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/fencepost-verifier/fencepost/bench/internal/peers"
)

// binaryOf is a stand-in for a binary of ours.
func binaryOf(t *testing.T, script string) *peers.Tool {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("no shell")
	}
	path := filepath.Join(t.TempDir(), "fencepost")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return &peers.Tool{Name: "fencepost", Path: path}
}

func TestCompleted(t *testing.T) {
	got, err := completed(binaryOf(t, `printf 'auto\tthe best\nbmc\n:4\n'`))
	if want := []string{"auto", "bmc"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v; want %v", got, err, want)
	}
	if got, err := completed(binaryOf(t, "echo unknown command; exit 2")); err == nil {
		t.Errorf("%v from a binary that completes nothing", got)
	}
}

// TestDecide has an engine that decides, one that does not and is not asked again,
// one that fails, and one that says the opposite.
func TestDecide(t *testing.T) {
	asked := filepath.Join(t.TempDir(), "asked")
	tool := binaryOf(t, `case "$3" in
auto) echo '{"verdict":"SAFE","engine":"bmc"}' ;;
bmc) echo x >> `+asked+`; echo '{"verdict":"UNKNOWN"}'; exit 3 ;;
ic3) echo '{"verdict":"ERROR","error":"no such engine"}'; exit 2 ;;
lazy) echo '{"verdict":"UNSAFE","engine":"lazy"}'; exit 1 ;;
esac`)
	tb := &table{tools: []*peers.Tool{tool}, engines: []string{"auto", "bmc", "ic3", "lazy"}}
	i := instance{name: "p", file: "p.imp", model: "tso"}
	costs := decide(tb.tools, tb.engines, i)[0]
	if c := costs[0]; !c.decided() || c.verdict != "SAFE" || c.engine != "bmc" || c.wall <= 0 {
		t.Errorf("auto: %+v", c)
	}
	if costs[1].err != errUnknown || costs[2].err == nil || costs[2].err == errUnknown {
		t.Errorf("bmc: %v, ic3: %v", costs[1].err, costs[2].err)
	}
	if text, err := os.ReadFile(asked); err != nil || string(text) != "x\n" {
		t.Errorf("bmc was asked %q, %v; want once", text, err)
	}
	if tb.row(i); !tb.contradiction {
		t.Error("SAFE and UNSAFE are no contradiction")
	}
}
