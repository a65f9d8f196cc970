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

	for args, want := range map[string]string{
		"check LB+fence.rw.rws.litmus":                   "SAFE  ../../examples/litmus/LB+fence.rw.rws.litmus  under RISCV",
		"check IRIW+lwsyncs.litmus":                      "initial x=0",
		"explain MP+dmb.sy+addr.litmus":                  "FORBIDDEN  ../../examples/litmus/MP+dmb.sy+addr.litmus  under ARMV8",
		"states MP+rel+acq.litmus":                       "States 2",
		"explore --por graphs -m rc11 MP+rel+acq.litmus": "executions  2",
		"check -m sc IRIW+lwsyncs.litmus":                "SAFE",
	} {
		var out, stderr bytes.Buffer
		words := strings.Fields(args)
		words[len(words)-1] = "../../examples/litmus/" + words[len(words)-1]
		run(context.Background(), words, strings.NewReader(""), &out, &stderr)
		if !strings.Contains(out.String(), want) || stderr.Len() > 0 {
			t.Errorf("%s: want %s\n%s%s", args, want, out.String(), stderr.String())
		}
	}
}
