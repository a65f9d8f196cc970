package suite

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// What tells well-known models apart is well known.
func TestApart(t *testing.T) {
	dir := t.TempDir()
	model := func(name, text string) memory.Model {
		path := filepath.Join(dir, name+".cat")
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return memory.Model(path)
	}
	multicopy := model("multicopy", `"TSO whose reads are not ordered"
acyclic (po \ (W * R) \ (R * R)) | rfe | co | fr | po; [MFENCE]; po as tso
acyclic po-loc | rf | co | fr as coherence
empty rmw & (fre; coe) as atomicity`)
	incoherent := model("incoherent", `"no coherence of reads"
acyclic (po-loc \ (R * R)) | rf | co | fr as coherence
empty rmw & (fre; coe) as atomicity
acyclic po | rf as causality`)
	coherent := model("coherent", `"coherence"
acyclic po-loc | rf | co | fr as coherence
empty rmw & (fre; coe) as atomicity
acyclic po | rf as causality`)
	torn := model("torn", `"nothing is atomic"
acyclic po-loc | rf | co | fr as coherence
acyclic po | rf as causality`)
	for _, tt := range []struct {
		a, b memory.Model
		size int
		test string // "": none
	}{
		{memory.SC, memory.TSO, 4, "SB"},
		{memory.TSO, memory.PSO, 4, "MP"},
		{memory.TSO, memory.TSO, 5, ""},
		{memory.SC, memory.TSO, 3, ""},
		{memory.TSO, multicopy, 5, "MP"},
		{memory.ARMv8, memory.SC, 4, "MP"},
		{memory.RC11, memory.IMM, 4, "LB"},
		{memory.RC11, memory.C11, 4, "LB"},
		{memory.C11, memory.IMM, 4, ""},
		{memory.RISCV, memory.RISCV, 4, ""},
		{coherent, incoherent, 4, "CoRR"},
		{coherent, torn, 4, "PosRR+Amo+Coe+Rfe"},
	} {
		r, err := Apart(context.Background(), tt.a, tt.b, ApartOptions{Size: tt.size})
		if err != nil {
			t.Errorf("%s and %s: %v", tt.a, tt.b, err)
			continue
		}
		got := ""
		if r.Test != nil {
			got = r.Test.Name
			if r.Test.Allows == r.Test.Forbids || !strings.Contains(r.Test.Text, "exists ("+r.Test.Outcome+")") {
				t.Errorf("%s and %s: %+v", tt.a, tt.b, r.Test)
			}
		} else if r.Done != tt.size {
			t.Errorf("%s and %s: done up to %d, not %d", tt.a, tt.b, r.Done, tt.size)
		}
		if got != tt.test {
			t.Errorf("%s and %s: told apart by %q, want %q", tt.a, tt.b, got, tt.test)
		}
	}
}

func TestApartUsage(t *testing.T) {
	var usage *UsageError
	for _, tt := range []struct {
		a, b memory.Model
		arch string
	}{{memory.Power, memory.ARMv8, ""}, {memory.SC, memory.TSO, "vax"}, {memory.RC11, memory.Weakestmo2, ""}} {
		if _, err := Apart(context.Background(), tt.a, tt.b, ApartOptions{Size: 2, Arch: tt.arch}); !errors.As(err, &usage) {
			t.Errorf("%s and %s: %v", tt.a, tt.b, err)
		}
	}
	if _, err := Apart(context.Background(), memory.SC, memory.TSO, ApartOptions{Size: 2, Arch: "ppc"}); err == nil {
		t.Error("tso is taken to be about Power")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	r, err := Apart(ctx, memory.SC, memory.TSO, ApartOptions{Size: 4})
	if err != nil || r.Incomplete == "" || r.Test != nil {
		t.Errorf("%+v, %v", r, err)
	}
}

// The accesses of a read-modify-write have an order, so that si does not relate them: public
// models compose local writes with it.
func TestSameInstruction(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"lws.cat": `AArch64
acyclic (rfe | fre | coe); si | (po-loc; [W]); si | rmw as ob`, "swp.litmus": `AArch64 swp
{ 0:X1=x; }
 P0              ;
 MOV W0,#1       ;
 SWP W0,W2,[X1]  ;
exists (0:X2=0)`})
	err := Run(context.Background(), Files([]string{filepath.Join(dir, "swp.litmus")}), Options{Model: memory.Model(filepath.Join(dir, "lws.cat"))}, func(_ File, l *verdict.Litmus) error {
		if l.Err != nil || l.Positive == 0 {
			t.Errorf("%+v", l)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
