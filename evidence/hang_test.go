package evidence_test

import (
	"context"
	"io"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/certify"
	"github.com/fencepost-verifier/fencepost/engine"
	"github.com/fencepost-verifier/fencepost/internal/enginetest"
	"github.com/fencepost-verifier/fencepost/program"
)

// TestHang: what says nothing of hanging is no evidence for a program that must not hang.
func TestHang(t *testing.T) {
	const text = "program T variables x process P begin await x = 1 end forbid x = 2\n"
	ctx := context.Background()
	calm, hangs := enginetest.Parse(t, "t.imp", text), enginetest.Parse(t, "t.imp", text+"forbid hang\n")
	r, err := engine.Check(ctx, calm, engine.Options{})
	if err != nil || !r.Safe() {
		t.Fatal(r, err)
	}
	var b strings.Builder
	if err := engine.WriteCertificate(ctx, &b, r, engine.Options{}); err != nil {
		t.Fatal(err)
	}
	if _, err := certify.Check(ctx, strings.NewReader(b.String()), calm); err != nil {
		t.Error(err)
	}
	forged := strings.Replace(b.String(), program.Fingerprint(calm), program.Fingerprint(hangs), 1)
	if _, err := certify.Check(ctx, strings.NewReader(forged), hangs); err == nil || !strings.Contains(err.Error(), "does not hang") {
		t.Error(err)
	}
	r, err = engine.Check(ctx, enginetest.Parse(t, "t.imp", strings.Replace(text, "await x = 1", "x := 1", 1)+"forbid hang\n"), engine.Options{})
	if err != nil || !r.Safe() {
		t.Fatal(r, err)
	}
	if err := engine.WriteCertificate(ctx, io.Discard, r, engine.Options{}); err == nil || !strings.Contains(err.Error(), "does not hang") {
		t.Error(err)
	}
}
