package c_test

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/engine"
	"github.com/fencepost-verifier/fencepost/lang"
	"github.com/fencepost-verifier/fencepost/lang/c"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// TestDat3M compares verdicts under the models of processors, and under IMM, with those of Dat3M.
func TestDat3M(t *testing.T) {
	t.Parallel()
	root := os.Getenv("FENCEPOST_CORPUS")
	if root == "" || testing.Short() {
		t.Skip("FENCEPOST_CORPUS is not set, or -short is")
	}
	file, err := os.Open(filepath.Join(root, "c", "dat3m.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	counts := map[string]int{}
	n := 0
	for s := bufio.NewScanner(file); s.Scan(); n++ {
		if n%2 != 0 && !*corpusAll {
			continue
		}
		var l struct {
			File, Variant string
			Verdicts      map[string]string
		}
		if err := json.Unmarshal(s.Bytes(), &l); err != nil {
			t.Fatal(err)
		}
		for name, to := range map[string]struct {
			model   memory.Model
			mapping c.Mapping
		}{"ARM8": {"armv8", c.AArch64}, "RISCV": {"riscv", c.RISCV}, "POWER": {"power", c.Power}, "IMM": {"imm", c.Orders}} {
			want, ok := l.Verdicts[name]
			if !ok || want == "UNKNOWN" {
				continue
			}
			opts := lang.C{Mapping: string(to.mapping)}
			if i := strings.LastIndexByte(l.Variant, '-'); i >= 0 && l.Variant != "chase-lev" {
				opts.Macros = []string{strings.ToUpper(strings.TrimSuffix(strings.TrimSuffix(l.Variant[i+1:], "_unlock"), "_lock"))}
			}
			p, err := lang.Load(filepath.Join(root, "c", l.File), nil, opts)
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), *corpusLimit)
			r, err := engine.Check(ctx, p, engine.Options{Model: to.model, Engine: engine.BMC})
			cancel()
			if err != nil {
				t.Fatal(err)
			}
			got := map[verdict.Verdict]string{verdict.IsSafe: "PASS", verdict.IsUnsafe: "FAIL"}[r.Verdict()]
			if counts[got]++; got != "" && got != want {
				t.Errorf("%s, %s: %s, want %s", l.Variant, to.model, r.Verdict(), want)
			}
		}
	}
	t.Log(counts)
}
