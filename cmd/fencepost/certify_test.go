package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCertify writes a certificate, has it checked, and spoils it.
func TestCertify(t *testing.T) {
	const fenced = "../../examples/peterson-fenced.imp"
	cert := filepath.Join(t.TempDir(), "p.cert")
	run := func(args ...string) (int, string, string) {
		var out, errs strings.Builder
		status := run(t.Context(), args, strings.NewReader(""), &out, &errs)
		return status, out.String(), errs.String()
	}
	status, out, errs := run("check", "-e", "cegar", "-v", "--certificate", cert, fenced)
	if status != exitSafe || !strings.Contains(out, "coherence:2") || !strings.Contains(errs, "multiset") {
		t.Fatalf("check: %d\n%s%s", status, out, errs)
	}
	if status, out, errs = run("certify", cert, fenced); status != exitSafe || !strings.HasPrefix(out, "ACCEPTED") {
		t.Fatalf("certify: %d\n%s%s", status, out, errs)
	}
	if status, out, errs = run("certify", cert, "../../examples/peterson.imp"); status != exitUnsafe && status != exitInput || strings.HasPrefix(out, "ACCEPTED") {
		t.Errorf("certify for another program: %d\n%s%s", status, out, errs)
	}
	if status, _, errs = run("certify", fenced, cert); status != exitInput || !strings.Contains(errs, "the certificate comes first: fencepost certify "+cert+" "+fenced) {
		t.Errorf("exchanged: %d\n%s", status, errs)
	}
	text, err := os.ReadFile(cert)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(text), "\n")
	spoilt := strings.Join(append(lines[:len(lines)/2:len(lines)/2], lines[len(lines)/2+1:]...), "")
	if err := os.WriteFile(cert, []byte(spoilt), 0o600); err != nil {
		t.Fatal(err)
	}
	if status, out, errs = run("certify", cert, fenced); status == exitSafe {
		t.Errorf("a certificate without a line is accepted: %s%s", out, errs)
	}
	if status, _, errs = run("check", "-e", "coherence:7", "-q", fenced); status != exitSafe {
		t.Errorf("coherence:7: %d %s", status, errs)
	}
}

// TestCertifyInvariant does the same with an invariant.
func TestCertifyInvariant(t *testing.T) {
	const fenced = "../../examples/dekker-simple-fenced.imp"
	cert := filepath.Join(t.TempDir(), "p.cert")
	run := func(args ...string) (int, string) {
		var out strings.Builder
		return run(t.Context(), args, strings.NewReader(""), &out, &out), out.String()
	}
	if status, out := run("check", "-e", "ic3", "--certificate", cert, fenced); status != exitSafe || !strings.Contains(out, "abstracted to set") {
		t.Fatalf("check: %d\n%s", status, out)
	}
	if status, out := run("certify", cert, fenced); status != exitSafe || !strings.Contains(out, "a diagram of") {
		t.Fatalf("certify: %d\n%s", status, out)
	}
	text, err := os.ReadFile(cert)
	if err != nil {
		t.Fatal(err)
	}
	head, _, _ := strings.Cut(string(text), "node")
	if err := os.WriteFile(cert, []byte(head+"end 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if status, out := run("certify", cert, fenced); status != exitUnsafe || !strings.Contains(out, "REFUSED") {
		t.Errorf("without nodes: %d\n%s", status, out)
	}
}

// TestCertifyProofs does the same with the formulas of a bounded answer, and their proofs.
func TestCertifyProofs(t *testing.T) {
	const fenced = "../../examples/peterson-fenced.imp"
	dir := filepath.Join(t.TempDir(), "proofs")
	run := func(args ...string) (int, string) {
		var out strings.Builder
		return run(t.Context(), args, strings.NewReader(""), &out, &out), out.String()
	}
	if status, out := run("check", "-e", "bmc", "--unroll", "3", "--proof", dir, fenced); status != exitUnknown || !strings.Contains(out, "up to 3 unrollings") {
		t.Fatalf("check: %d\n%s", status, out)
	}
	if status, out := run("certify", dir, fenced); status != exitSafe || !strings.Contains(out, "up to 3 unrollings there is no violation: 1 formula has no model") {
		t.Fatalf("certify: %d\n%s", status, out)
	}
	if status, out := run("certify", "--timeout", "1ns", dir, fenced); status != exitUnknown || !strings.Contains(out, "stopped by the time limit") {
		t.Errorf("certify in no time: %d\n%s", status, out)
	}
	if err := os.WriteFile(filepath.Join(dir, "violation.lrat"), []byte("999999 0 1 0\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if status, out := run("certify", dir, fenced); status != exitUnsafe || !strings.Contains(out, "REFUSED") {
		t.Errorf("certify of a wrong proof: %d\n%s", status, out)
	}
	for _, tt := range []struct {
		args string
		err  string
	}{
		{"check -e explicit --proof " + dir + " " + fenced, "--proof is not for the engine explicit; it is for auto, bmc"},
		{"check -e bmc --solver gini --proof " + dir + " " + fenced, "--proof: there are no proofs of the solver gini"},
		{"check -e bmc --proof " + dir + " " + fenced + " " + fenced, "--proof: one directory for 2 programs"},
		{"check -e bmc --proof " + fenced + " " + fenced, "--proof: "},
		{"certify " + t.TempDir() + " " + fenced, "cannot be read"},
	} {
		if status, out := run(strings.Fields(tt.args)...); status != exitInput || !strings.Contains(out, tt.err) {
			t.Errorf("%s: %d\n%s", tt.args, status, out)
		}
	}
}

// TestCertifyC checks that certify reads C for the memory model that the evidence is about.
func TestCertifyC(t *testing.T) {
	dir := t.TempDir()
	run := func(args ...string) (int, string) {
		var out strings.Builder
		return run(t.Context(), args, strings.NewReader(""), &out, &out), out.String()
	}
	for _, tt := range []struct {
		program, flag, model string
		status               int
		shows                string
	}{
		{"message-passing", "--certificate", "rc11", exitSafe, "safe"},
		{"message-passing", "--proof", "rc11", exitSafe, "safe"},
		{"message-passing", "--certificate", "tso", exitSafe, "safe"},
		{"dekker", "--certificate", "rc11", exitUnsafe, "unsafe"},
	} {
		name, file := filepath.Join(dir, tt.program+tt.flag+tt.model), "../../examples/c/"+tt.program+".c"
		if status, out := run("check", "-e", "bmc", "-m", tt.model, tt.flag, name, file); status != tt.status {
			t.Fatalf("%v: check: %d\n%s", tt, status, out)
		}
		if status, out := run("certify", name, file); status != exitSafe || !strings.Contains(out, " under "+tt.model+"\n") || !strings.Contains(out, "shows     "+tt.shows) {
			t.Errorf("%v: certify: %d\n%s", tt, status, out)
		}
	}
}

// TestMissingCertificate: where the time is over, that is said once.
func TestMissingCertificate(t *testing.T) {
	over, cancel := context.WithTimeout(t.Context(), 0)
	defer cancel()
	deep := fmt.Errorf("no certificate: %w (no certificate: %w)", context.DeadlineExceeded, context.DeadlineExceeded)
	for _, tt := range []struct {
		ctx  context.Context
		err  error
		want string
	}{
		{over, deep, "c.cert: no certificate: the search for one was stopped by the time limit; the verdict stands"},
		{t.Context(), deep, "c.cert: no certificate: the search for one was stopped by the time limit; the verdict stands"},
		{t.Context(), errors.New("it is too large"), "c.cert: no certificate: it is too large"},
	} {
		if got := missing(tt.ctx, "c.cert", tt.err).Error(); got != tt.want {
			t.Errorf("%v: %s", tt.err, got)
		}
	}
}
