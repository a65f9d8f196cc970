package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestHeeded: a flag that the engine does not heed is refused, with the engines that it is
// for, and so is an engine that is not for the model. Nothing is done before.
func TestHeeded(t *testing.T) {
	const sb = "testdata/litmus/SB.litmus"
	for _, tt := range []struct {
		args, want string // "": it goes on
	}{
		{"check -e bmc --por none " + safe, "--por is not for the engine bmc; it is for auto, explicit, localize, multiset, set, coherence:K\n"},
		{"check -e explicit --unroll 3 " + safe, "--unroll is not for the engine explicit; it is for auto, bmc, graphs\n"},
		{"check -e lazy --search dfs " + safe, "--search is not for the engine lazy; it is for auto, explicit, localize, multiset, set, coherence:K\n"},
		{"check -e coherence:7 --solver gini " + safe, "--solver is not for the engine coherence:7; it is for auto, bmc, ic3, kinduction\n"},
		{"check -e explicit:none --por local " + safe, "--por is not for the engine explicit:none; it is for auto, explicit, "},
		{"check -e explicit:local --symmetry " + safe, "--symmetry is not for the engine explicit:local; it is for auto, explicit, graphs\n"},
		{"check -e explicit -v " + safe, "--verbose is not for the engine explicit; it is for auto, cegar\n"},
		{"check -e cegar -m sc " + safe, "--engine: cegar is not for the memory model sc; there are auto, explicit, bmc, ic3, kinduction, saturation, localize, executions:BY, rvf, graphs\n"},
		{"check -e ic3:none " + safe, "--engine: ic3:none is not for the memory model tso; there are auto, "},
		{"check -m testdata/coherence.cat -e lazy " + safe, "--engine: lazy is not for the memory model testdata/coherence.cat; there are auto, bmc, graphs\n"},
		{"check -e robust " + safe, "--engine: robust does not decide properties; there are auto, explicit, "},
		{"states -e lazy " + safe, "--engine: lazy does not list final states; there are auto, explicit, bmc, graphs\n"},
		{"states -e graphs --buffer 3 " + safe, "--buffer is not for the engine graphs; it is for auto, explicit\n"},
		{"litmus -e explicit --unroll 3 " + sb, "--unroll is not for the engine explicit; it is for auto, bmc, graphs\n"},
		{"litmus -e graphs --solver gini " + sb, "--solver is not for the engine graphs; "},
		{"explore --por none --events 3 " + safe, "--events is not for --por none; it is for dpor, source, optimal, rvf\n"},
		{"explore --por optimal --search dfs " + safe, "--search is not for --por optimal; it is for none, local, persistent, cartesian\n"},
		{"explore --por dpor --live off " + safe, "--live is not for --por dpor; it is for none, local, persistent, cartesian, dpor\n"},

		{"check -e explicit --unroll 3 ../../examples/c/spinlock.c", ""},
		{"check -e explicit --unroll 3 ../../examples/c/spinlock.c " + safe, "--unroll is not for the engine explicit; it is for auto, bmc, graphs\n"},
		{"check --por none --search dfs --unroll 3 --buffer 4 -v " + safe, ""},
		{"check -e explicit --por none --timeout 9 --memory-limit 1G " + safe, ""},
		{"check -e set --por none " + safe, ""},
		{"check -e bmc --unroll 3 -D N=3 " + safe, ""},
		{"states -e bmc --unroll 3 " + safe, ""},
		{"litmus -q -e bmc --unroll 3 -j 1 " + sb, ""},
		{"litmus -q --unroll 3 " + sb, ""},
		{"explore -q --por dpor -e states --live off -m sc " + safe, ""},
		{"explore --table --events 100 --search dfs -m sc " + safe, ""},
	} {
		f := newFake("")
		status := f.run(context.Background(), strings.Fields(tt.args))
		if tt.want == "" {
			if status == exitInput || f.err.Len() > 0 {
				t.Errorf("%s: status %d\n%s", tt.args, status, f.err.String())
			}
			continue
		}
		if got := f.err.String(); status != exitInput || !strings.HasPrefix(got, "fencepost: "+tt.want) || f.asked > 0 || f.out.Len() > 0 {
			t.Errorf("%s: status %d\n%swant\n%s", tt.args, status, got, tt.want)
		}
	}
}

// TestThreadCost: a cost for a thread that there is not is a mistake.
func TestThreadCost(t *testing.T) {
	for _, tt := range []struct{ args, want string }{
		{"fences --thread-cost P9=3 ../../examples/dekker.imp", "../../examples/dekker.imp: the program has no thread P9 to give a cost to\n  did you mean P0?\n"},
		{"fences --thread-cost Q[7]=3 ../../examples/burns.imp", "the program has no thread Q[7] to give a cost to\n"},
		{"fences -q --thread-cost P=3 --thread-cost P[1]=2 ../../examples/burns.imp", ""},
	} {
		var out, errs bytes.Buffer
		status := run(context.Background(), strings.Fields(tt.args), strings.NewReader(""), &out, &errs)
		if !strings.Contains(errs.String(), tt.want) || (status == exitInput) != (tt.want != "") {
			t.Errorf("%s: status %d\n%s", tt.args, status, errs.String())
		}
	}
}

// TestCertificateRefused: where there is none to be had, that is said before the work.
// Where it comes to light afterwards, or the file cannot be written, the verdict is
// there all the same.
func TestCertificateRefused(t *testing.T) {
	file := filepath.Join(t.TempDir(), "p.cert")
	for _, tt := range []struct{ args, want string }{
		{"-e rvf -m sc " + safe, "fencepost: --certificate: there is none of rvf under sc; there are those of auto, explicit, bmc, ic3, kinduction, saturation\n"},
		{"-e explicit -m pso " + safe, "fencepost: --certificate: there is none of explicit under pso; there are those of auto, bmc\n"},
		{"-m weakestmo2 " + safe, "fencepost: --certificate: there are none for the memory model weakestmo2\n"},
		{safe + " " + unsafe, "fencepost: --certificate: one file for 2 programs\n"},
	} {
		f := newFake("")
		status := f.run(context.Background(), append([]string{"check", "--certificate", file}, strings.Fields(tt.args)...))
		if got := f.err.String(); status != exitInput || !strings.HasPrefix(got, tt.want) || f.asked > 0 {
			t.Errorf("%s: status %d, %d checks\n%s", tt.args, status, f.asked, got)
		}
	}
	for _, tt := range []struct{ file, flags, want string }{
		{file, "-m pso --unroll 16", file + ": no certificate: there is none for SAFE under pso by \"complete unrolling, unsatisfiable\"\n"},
		{"/dev/full", "", "fencepost: cannot write /dev/full: no space left on device; free some space, or name a place on another disk\n"},
	} {
		if _, err := os.Stat(tt.file); err != nil && strings.HasPrefix(tt.file, "/dev") {
			continue // not on this platform
		}
		for _, format := range []string{"text", "json"} {
			f := newFake("")
			args := append([]string{"check", "-o", format, "--certificate", tt.file}, strings.Fields(tt.flags+" "+safe)...)
			status := f.run(context.Background(), args)
			if out := f.out.String(); status != exitInput || strings.Count(out, "SAFE") != 1 || !strings.HasSuffix(f.err.String(), tt.want) {
				t.Errorf("%s: status %d\n%s%s", args, status, out, f.err.String())
			}
			if _, err := os.Stat(tt.file); err == nil && tt.file == file {
				t.Errorf("%s: there is a file", args)
			}
		}
	}
	f := newFake("")
	if status := f.run(context.Background(), []string{"check", "-q", "--certificate", file, safe}); status != exitSafe || f.err.Len() > 0 {
		t.Errorf("status %d: %s", status, f.err.String())
	}
}
