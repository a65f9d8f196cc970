package trust

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/internal/enginetest"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
)

// TestSizes has counts of families at more sizes, with the order of stores; where there are two, the second is without it.
func TestSizes(t *testing.T) {
	rotation := func(n int) string {
		var all []string
		for i := range n {
			all = append(all, fmt.Sprintf("Cx%d%d", i, i+1))
		}
		return strings.Join(all, "|")
	}
	swaps := func(n int) string {
		var all []string
		for i := range n {
			all = append(all, fmt.Sprintf("Cx01 Wx%d", i+3))
		}
		return strings.Join(all, "|")
	}
	coherent := func(n int) string {
		text := "Wx1.rel Ry.acq Rx.acq|Wx2.rel Rz.acq Rx.acq"
		for i := range n {
			text += fmt.Sprintf("|Wy%d.rel Wz%d.rel", i+1, i+1)
		}
		return text
	}
	for _, test := range []struct {
		name, text string
		model      memory.Model
		want       string
	}{
		{"readers(8)", "Wx1|" + times(8, "Rx"), memory.RC11, "256 256"}, {"readers(13)", "Wx1|" + times(13, "Rx"), memory.RC11, "8192"},
		{"ainc(6)", times(6, "Ux"), memory.RC11, "720 720"}, {"ainc(7)", times(7, "Ux"), memory.SC, "5040"},
		{"binc(4)", times(4, "Ux Uy"), memory.RC11, "576"}, {"cinc(3)", times(3, "Ux Uy Uz"), memory.RC11, "216 216"}, {"cinc(4)", times(4, "Ux Uy Uz"), memory.SC, "13824"},
		{"inc(4)", times(4, "Rx Wx#"), memory.RC11, "576 125"}, {"cas(5)", times(5, "Cx0#"), memory.SC, "5 5"},
		{"casrot(5)", rotation(5), memory.RC11, "43 43"}, {"casrot(6)", rotation(6), memory.RC11, "144 144"}, {"casrot(7)", rotation(7), memory.RC11, "523"},
		{"casrot(8)", rotation(8), memory.SC, "2048"}, {"casrot(9)", rotation(9), memory.RC11, "8597"},
		{"casw(4)", swaps(4), memory.RC11, "1200 200"}, {"casw(5)", swaps(5), memory.RC11, "32880"},
		{"wcas(5)", "Wx2|" + times(5, "Cx23"), memory.RC11, "81 81"}, {"wcas(6)", "Wx2|" + times(6, "Cx23"), memory.RC11, "193"}, {"wcas(7)", "Wx2|" + times(7, "Cx23"), memory.RC11, "449"},
		{"wcas(8)", "Wx2|" + times(8, "Cx23"), memory.SC, "1025"}, {"wcas(9)", "Wx2|" + times(9, "Cx23"), memory.RC11, "2305"},
		{"wainc(4)", "Wx9|" + times(4, "Ux"), memory.RC11, "120 120"}, {"writers(5)", times(5, "Wx#") + "|Rx", memory.SC, "720 6"},
		{"CoA(3)", coherent(3), memory.SC, "2028"}, {"CoA(3)", coherent(3), memory.RC11, "2304 48"},
		{"CoA(4)", coherent(4), memory.SC, "49776"}, {"CoA(4)", coherent(4), memory.RC11, "57600"}, {"wrw(4)", "Wx1|" + times(4, "Rx Wx#"), memory.RC11, "6576 432"},
	} {
		p := parse(t, test.text, program.C11)
		both := strings.Contains(test.want, " ")
		var got []string
		for _, any := range []bool{false, true}[:1+int(program.Bool(both))] {
			res, err := Explore(t.Context(), p, Options{Model: test.model, AnyCoherence: any})
			if err != nil || !res.Safe() {
				t.Fatalf("%s: %v, %v", test.name, res, err)
			}
			got = append(got, fmt.Sprint(res.Stat("executions")))
		}
		if s := strings.Join(got, " "); s != test.want {
			t.Errorf("%s under %s: %s, want %s", test.name, test.model, s, test.want)
		}
	}
	// What looks for the last 0 of an array: 28 and 64 where stores release, and 6, 16, 40 where nothing does.
	relaxed := models(t, program.X86)["relaxed"]
	for n, want := range map[int64][3]int64{2: {5, 5, 6}, 3: {12, 12, 16}, 4: {28, 28, 40}, 5: {64, 64, 0}, 10: {3328, 3328, 0}} {
		p := enginetest.Example(t, "counts/lastzero.imp", n)
		for i, opts := range []Options{{Model: memory.SC}, {Model: memory.RA}, {Model: relaxed.Model, Definition: relaxed}} {
			if want[i] == 0 {
				continue
			}
			if res, err := Explore(t.Context(), p, opts); err != nil || res.Stat("executions") != want[i] {
				t.Errorf("lastzero(%d) under %s: %v, %v, want %d", n, opts.Model, res, err, want[i])
			}
		}
	}
	p := enginetest.Example(t, "thesis/fig5.12.imp", 15)
	if res, err := Explore(t.Context(), p, Options{Model: memory.TSO}); err != nil || res.Stat("executions") != 4096 {
		t.Errorf("indexer(15): %v, %v", res, err)
	}
}
