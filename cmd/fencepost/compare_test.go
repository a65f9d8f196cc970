package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost"
	"github.com/fencepost-verifier/fencepost/crosscheck"
	"github.com/fencepost-verifier/fencepost/engine"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// TestCompare runs the command with the library behind it.
func TestCompare(t *testing.T) {
	const dekker = unsafe
	tests := []struct {
		args   string
		status int
		stdout string
		stderr string
	}{
		{"compare " + dekker, 0, "=", ""},
		{"compare -m tso -e explicit -e lazy " + dekker, 0, "TSO    lazy", ""},
		{"compare -m tso -e coherence:3 " + dekker, 0, "TSO    coherence:3  UNKNOWN", ""},
		{"compare -m tso -e robust " + dekker, 0, "TSO    robust  NOT ROBUST", ""},
		{"compare -o csv -e graphs " + dekker + " " + dekker, 0, "file,model,engine,kind,", ""},
		{"compare -o markdown -e ic3 -m sc " + dekker, 0, "| SC | ic3 | SAFE | inductive invariant |", ""},
		{"compare -m pso -e ic3 " + dekker, 0, "no contradiction among 0 answers", ""},
		{"compare -e explicit " + fault, 2, "FAULT", "division by zero can be reached"},
		{"compare -e explicit " + bad, 2, "", "bad.imp:4:8"},
		{"compare -e guess " + dekker, 2, "", `--engine: unknown engine "guess"`},
		{"compare -m arm " + dekker, 2, "", `--model: unknown memory model "arm"`},
		{"compare -", 2, "", "compare wants files, not standard input"},
		{"compare", 2, "", "no file given"},
	}
	for _, tt := range tests {
		var out, stderr bytes.Buffer
		if got := run(context.Background(), strings.Fields(tt.args), strings.NewReader(""), &out, &stderr); got != tt.status {
			t.Errorf("%s: status %d, want %d\n%s", tt.args, got, tt.status, stderr.String())
		}
		if tt.stdout == "=" {
			if text := out.String(); !strings.Contains(text, "no contradiction among 65 answers; 5") || strings.Contains(text, "differs") {
				t.Errorf("%s: %s", tt.args, text)
			}
			continue
		}
		if !strings.Contains(out.String(), tt.stdout) {
			t.Errorf("%s: stdout %s", tt.args, out.String())
		}
		if !strings.Contains(stderr.String(), tt.stderr) || tt.stderr == "" && stderr.Len() > 0 {
			t.Errorf("%s: stderr %s", tt.args, stderr.String())
		}
	}
}

// TestCompareLie: a method that lies is an internal error, and the message says how
// to see it.
func TestCompareLie(t *testing.T) {
	lie := func() []engine.Engine {
		liar, err := engine.Lookup(engine.BMC)
		if err != nil {
			t.Fatal(err)
		}
		liar.Name, liar.FinalStates, liar.Robust = "liar", nil, nil
		liar.Check = func(_ context.Context, p *program.Program, opts engine.Options) (*verdict.Result, error) {
			return verdict.Safe(p, opts.Model, verdict.Exhaustive, nil), nil
		}
		some := slices.DeleteFunc(crosscheck.Engines(), func(e engine.Engine) bool { return e.Name != engine.Explicit && e.Name != engine.BMC })
		return append(some, *liar)
	}
	fail := func() []engine.Engine {
		e, err := engine.Lookup(engine.Explicit)
		if err != nil {
			t.Fatal(err)
		}
		e.Check = func(context.Context, *program.Program, engine.Options) (*verdict.Result, error) {
			return nil, errors.New("no luck")
		}
		return []engine.Engine{*e}
	}
	const dekker = unsafe
	tests := []struct {
		name    string
		engines func() []engine.Engine
		args    []string
		want    []string
	}{
		{"lie", lie, []string{"compare", "-m", "tso", dekker}, []string{
			"fencepost: internal error: " + dekker + ": explicit under TSO says UNSAFE, liar under TSO says SAFE",
			"    fencepost check -e explicit -m tso " + dekker + "\n    fencepost compare -e liar -m tso " + dekker + "\n",
			"    fencepost check -e bmc -m tso " + dekker + "\n"}},
		{"failure", fail, []string{"compare", "-m", "sc", "-o", "json", dekker}, []string{
			"explicit under sc: no luck\n    fencepost check -e explicit -m sc " + dekker + "\n"}},
	}
	for _, tt := range tests {
		var out, stderr bytes.Buffer
		a := &app{stdin: strings.NewReader(""), stdout: &out, stderr: &stderr}
		a.compare = func(ctx context.Context, p *program.Program, models []memory.Model, _ []engine.Name, _ ...fencepost.Option) (*fencepost.Comparison, error) {
			c, err := crosscheck.Run(ctx, p, crosscheck.Options{Models: models, Engines: tt.engines()})
			return &fencepost.Comparison{Comparison: c}, err
		}
		if got := a.run(context.Background(), tt.args); got != exitInternal {
			t.Errorf("%s: status %d\n%s", tt.name, got, stderr.String())
		}
		for _, want := range tt.want {
			if !strings.Contains(stderr.String(), want) {
				t.Errorf("%s: %s\nwant %s", tt.name, stderr.String(), want)
			}
		}
		if tt.name == "failure" {
			var o map[string]any
			if err := json.Unmarshal(out.Bytes(), &o); err != nil || o["file"] != dekker {
				t.Errorf("%s: %v, %s", tt.name, err, out.String())
			}
		} else if !strings.Contains(out.String(), "differs") {
			t.Errorf("%s: %s", tt.name, out.String())
		}
	}
}

// TestCompareCommand: names that mean something to a shell are quoted.
func TestCompareCommand(t *testing.T) {
	j := &compareJob{solver: "kissat"}
	j.defines.Set("N=3")
	j.defines.Set("M=-1")
	for _, tt := range []struct {
		engine   string
		question verdict.Question
		want     string
	}{
		{"bmc", verdict.Safety, `fencepost check -e bmc -m tso -D M=-1 -D N=3 --solver kissat 'it'\''s.imp'`},
		{"explicit:none", verdict.Safety, `fencepost check -e explicit:none -m tso -D M=-1 -D N=3 'it'\''s.imp'`},
		{"graphs", verdict.FinalStates, `fencepost states -e graphs -m tso -D M=-1 -D N=3 'it'\''s.imp'`},
		{"robust", verdict.Robustness, `fencepost robust -D M=-1 -D N=3 'it'\''s.imp'`},
		{"bmc", verdict.Robustness, `fencepost compare -e bmc -D M=-1 -D N=3 --solver kissat 'it'\''s.imp'`},
	} {
		if got := j.command(&verdict.Row{Model: "tso", Engine: tt.engine, Question: tt.question}, "it's.imp"); got != tt.want {
			t.Errorf("got %s\nwant %s", got, tt.want)
		}
	}
}
