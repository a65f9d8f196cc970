package main

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"
)

// TestExplore runs explorations and looks at their figures.
func TestExplore(t *testing.T) {
	const sb = "testdata/store-buffer.imp"
	tests := []struct {
		args   string
		status int
		want   map[string]float64
	}{
		{"--por optimal -m sc " + sb, 0, map[string]float64{"executions": 3, "blocked": 0}},
		{"--por source -m sc " + sb, 0, map[string]float64{"executions": 3}},
		{"--por source -e executions -m sc -D N=3 ../../examples/counts/readers.imp", 0, map[string]float64{"executions": 8}},
		{"--por rvf -m sc " + sb, 0, map[string]float64{"executions": 3, "blocked": 0}},
		{"--por rvf -m tso -D N=3 ../../examples/counts/readers.imp", 0, map[string]float64{"executions": 8, "blocked": 0}},
		{"--por optimal -m sc -D N=5 ../../examples/counts/ainc.imp", 0, map[string]float64{"executions": 120, "blocked": 0}},
		{"--por none --search dfs --live off -m sc " + sb, 0, map[string]float64{"states": 13, "transitions": 14}},
		{"--por dpor -e states -m sc " + sb, 0, map[string]float64{"states": 12}},
		{"--por local --search dfs ../../examples/thesis/fig4.2.imp", 1, map[string]float64{"transitions": 7}},
		{"--por local --search bfs ../../examples/thesis/fig4.2.imp", 1, map[string]float64{"transitions": 13}},
		{"--por none --search bfs ../../examples/thesis/fig4.2.imp", 1, map[string]float64{"transitions": 25}},
		{"--por cartesian ../../examples/dekker.imp", 1, nil},
		{"--compact -m sc " + sb, 3, map[string]float64{"states": 12}},
		{"-j 2 --spill . --search dfs -m sc " + sb, 0, map[string]float64{"states": 12}},
		{"--symmetry --por none -m sc -D N=3 ../../examples/counts/ainc.imp", 0, map[string]float64{"states": 4}},
		{"--commute --por graphs -m sc -D N=6 ../../examples/counts/ainc.imp", 0, map[string]float64{"executions": 1}},
		{"--commute --por graphs -m ra -D N=4 ../../examples/counts/ainc.imp", 0, map[string]float64{"executions": 24}},
		{"--por none --timeout 0.2 -m tso testdata/endless.imp", 3, nil},
	}
	for _, tt := range tests {
		var out, stderr bytes.Buffer
		args := append([]string{"explore", "-o", "json"}, strings.Fields(tt.args)...)
		if got := run(context.Background(), args, strings.NewReader(""), &out, &stderr); got != tt.status || stderr.Len() > 0 {
			t.Errorf("%s: status %d, want %d\n%s", tt.args, got, tt.status, stderr.String())
		}
		var figures map[string]any
		if err := json.Unmarshal(out.Bytes(), &figures); err != nil {
			t.Errorf("%s: %v in %s", tt.args, err, out.String())
		}
		for name, want := range tt.want {
			if got := figures[name]; got != want {
				t.Errorf("%s: %s %v, want %v", tt.args, name, got, want)
			}
		}
	}
}

// TestExploreText looks at what people see.
func TestExploreText(t *testing.T) {
	tests := []struct {
		args   string
		status int
		stdout []string
		stderr string
	}{
		{"explore testdata/store-buffer.imp", 1, []string{"UNSAFE", "\n  states ", " states a second\n", "in the end"}, ""},
		{"explore --table -m sc testdata/store-buffer.imp", 0, []string{"none (bfs) ", "cartesian (bfs) ", "dpor (states) ", "optimal "}, ""},
		{"explore --por local -e executions testdata/store-buffer.imp", 2, nil,
			"fencepost: --por local counts states\n"},
		{"explore --por sauce testdata/store-buffer.imp", 2, nil, "did you mean source?"},
		{"explore --spill nowhere testdata/store-buffer.imp", 2, nil, "--spill: there is no directory nowhere"},
		{"explore -m testdata/coherence.cat testdata/store-buffer.imp", 2, nil, "--model: testdata/coherence.cat speaks of graphs"},
		{"check -e explicit -m testdata/coherence.cat testdata/store-buffer.imp", 2, nil,
			"--engine: explicit is not for the memory model testdata/coherence.cat; there are auto, bmc, graphs\n"},
		{"states -e explicit -m testdata/coherence.cat testdata/store-buffer.imp", 2, nil, "there are auto, bmc, graphs\n"},
		{"explore testdata/fault.imp", 2, nil, "division by zero can be reached"},
	}
	for _, tt := range tests {
		var out, stderr bytes.Buffer
		if got := run(context.Background(), strings.Fields(tt.args), strings.NewReader(""), &out, &stderr); got != tt.status {
			t.Errorf("%s: status %d, want %d\n%s", tt.args, got, tt.status, stderr.String())
		}
		for _, want := range tt.stdout {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%s: no %q in\n%s", tt.args, want, out.String())
			}
		}
		if !strings.Contains(stderr.String(), tt.stderr) {
			t.Errorf("%s: no %q in\n%s", tt.args, tt.stderr, stderr.String())
		}
	}
}

// TestEstimate tells how much there is to explore.
func TestEstimate(t *testing.T) {
	for _, test := range []struct {
		args   string
		status int
		want   string
	}{
		{"explore --por graphs --estimate -m sc ../../examples/counts/ainc.imp", exitSafe, "1,000 random walks"},
		{"explore --por graphs --estimate -o json ../../examples/counts/ainc.imp", exitSafe, `"walks":1000`},
		{"explore --por graphs --equivalence rf -m sc testdata/store-buffer.imp", exitSafe, "counted once"},
		{"explore --por graphs --equivalence rf -m sc -D N=3 ../../examples/counts/readers.imp", exitUnknown, "executions  8"},
		{"explore --por optimal --equivalence rf ../../examples/counts/ainc.imp", exitInput, "--equivalence is not for --por optimal; it is for graphs"},
		{"explore --estimate ../../examples/counts/ainc.imp", exitInput, "--estimate is not for --por persistent; it is for graphs"},
		{"explore --por graphs -j 2 --unroll 2 -q ../../examples/peterson.imp", exitUnsafe, "UNSAFE"},
	} {
		var out, stderr bytes.Buffer
		status := run(context.Background(), strings.Fields(test.args), strings.NewReader(""), &out, &stderr)
		if status != test.status || !strings.Contains(out.String()+stderr.String(), test.want) {
			t.Errorf("%s: %d, %s%s", test.args, status, out.String(), stderr.String())
		}
	}
}
