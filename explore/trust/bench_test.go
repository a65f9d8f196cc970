package trust

import (
	"context"
	"testing"

	"github.com/fencepost-verifier/fencepost/internal/enginetest"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
)

// BenchmarkFamilies explores families of programs whose graphs can be counted.
func BenchmarkFamilies(b *testing.B) {
	for _, family := range []struct {
		name  string
		p     *program.Program
		model memory.Model
	}{
		{"ainc(6)", parse(b, times(6, "Ux"), program.C11), memory.SC},
		{"binc(4)", parse(b, times(4, "Ux Uy"), program.C11), memory.RC11},
		{"readers(10)", parse(b, "Wx1|"+times(10, "Rx"), program.C11), memory.RC11},
		{"casw(4)", parse(b, "Cx01 Wx4|Cx01 Wx5|Cx01 Wx6|Cx01 Wx7", program.C11), memory.RC11},
		{"wrw(3)", parse(b, "Wx1|Rx Wx2|Rx Wx3|Rx Wx4", program.C11), memory.SC},
		{"lastzero(8)", enginetest.Example(b, "counts/lastzero.imp", 8), memory.TSO},
		{"indexer(14)", enginetest.Example(b, "thesis/fig5.12.imp", 14), memory.TSO},
	} {
		b.Run(family.name, func(b *testing.B) {
			n := int64(0)
			for b.Loop() {
				res, err := Explore(context.Background(), family.p, Options{Model: family.model})
				if err != nil || !res.Safe() {
					b.Fatal(err, res)
				}
				n += res.Stat("executions") + res.Stat("blocked")
			}
			b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "graphs/s")
		})
	}
}
