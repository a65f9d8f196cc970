package main

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"
	"testing"
)

// TestLitmusExamples: tests of every architecture, each under the model of its own.
func TestLitmusExamples(t *testing.T) {
	want := map[string]string{
		"SB":              "Sometimes 1 3",
		"MP+dmb.sy+addr":  "Never 0 3",
		"LB+fence.rw.rws": "Never 0 3",
		"IRIW+lwsyncs":    "Sometimes 1 15",
		"MP+rel+acq":      "Never 0 2",
	}
	files, err := filepath.Glob("../../examples/litmus/*.litmus")
	if err != nil || len(files) != len(want) {
		t.Fatal(files, err)
	}
	for _, file := range files {
		var out, stderr bytes.Buffer
		name := strings.TrimSuffix(filepath.Base(file), ".litmus")
		run(context.Background(), []string{"litmus", file}, strings.NewReader(""), &out, &stderr)
		if line := "Observation " + name + " " + want[name] + "\n"; !strings.Contains(out.String(), line) || stderr.Len() > 0 {
			t.Errorf("%s: want %s%s%s", file, line, out.String(), stderr.String())
		}
	}
}
