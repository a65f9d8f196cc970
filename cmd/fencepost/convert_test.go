package main

import (
	"context"
	"strings"
	"testing"
)

// TestConvert compares what convert writes with files.
func TestConvert(t *testing.T) {
	for file, args := range map[string]string{
		"convert-tso.pml": "convert --to promela " + unsafe,
		"convert-sc.pml":  "convert --to promela -m sc " + unsafe,
	} {
		f := newFake("")
		if got := f.run(context.Background(), strings.Fields(args)); got != 0 {
			t.Errorf("%s: status %d: %s", args, got, f.err.String())
		}
		golden(t, file, f.out.String())
	}
}

// print and convert write the same automata and graphs.
func TestConvertPrints(t *testing.T) {
	for _, to := range []string{"asm", "dot"} {
		var out []string
		for _, cmd := range []string{"print", "convert"} {
			f := newFake("")
			f.run(context.Background(), []string{cmd, "--to", to, unsafe})
			out = append(out, f.out.String())
		}
		if out[0] == "" || out[0] != out[1] {
			t.Errorf("--to %s: print\n%s\nconvert\n%s", to, out[0], out[1])
		}
	}
}
