package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestSpan(t *testing.T) {
	for text, ok := range map[string]bool{"N=1..5": true, "N=-1..1": true, "N=5": false, "N=5..5": false, "N=1..1000000": false, "1..5": false, "=1..5": false, "N=a..b": false} {
		var s span
		if err := s.Set(text); (err == nil) != ok || ok && s.String() != text {
			t.Errorf("%s: %v, %s", text, err, &s)
		}
	}
}

func TestPlot(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.svg")
	const program = "../../examples/counts/casrot.imp"
	status, out, stderr := runReal(t, "explore -m sc --table --plot "+file+" --over N=2..3 "+program)
	if status != exitSafe || !strings.Contains(out, "N = 3") {
		t.Fatalf("status %d, %s%s", status, out, stderr)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"<svg", ">milliseconds<", ">optimal<", ">persistent (bfs)<"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %s in the plot", want)
		}
	}
	for args, want := range map[string]string{
		"explore --plot x.svg " + program:                                          "--plot: over which constant",
		"explore --over N=1..2 " + program:                                         "--over: it is for --plot",
		"explore --plot x.png --over N=1..2 " + program:                            "--plot: want a file .svg",
		"explore --plot x.svg --over N=1..2 -o json " + program:                    "leave --output out",
		"explore --plot x.svg --over N=1..2 -D N=3 " + program:                     "has a value by -D as well",
		"explore --plot no/such/x.svg --over N=1..2 " + program:                    "no/such",
		"explore --plot " + file + " --over M=1..2 " + program:                     "M",
		"explore --plot " + file + " --over N=2 " + program:                        "want a constant",
		"explore -m sc --por optimal --plot " + file + " --over N=2..3 nofile.imp": "nofile.imp",
	} {
		if status, _, stderr := runReal(t, args); status != exitInput || !strings.Contains(stderr, want) {
			t.Errorf("%s: status %d, %s", args, status, stderr)
		}
	}
}
