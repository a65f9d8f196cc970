package main

import (
	"encoding/json"
	"os"
	"slices"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
)

type sarifRule struct {
	ID               string
	ShortDescription struct{ Text string }
}

// TestSARIF: logs have what SARIF 2.1.0 asks for, and nothing that it does not know. The schema is of the part that is used, so
// that a field that is written otherwise than in the standard is an error as well.
func TestSARIF(t *testing.T) {
	b, err := os.ReadFile("testdata/sarif.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var schema jsonschema.Schema
	if err := json.Unmarshal(b, &schema); err != nil {
		t.Fatal(err)
	}
	valid, err := schema.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	const dir = "../../examples/"
	kinds := map[string]bool{}
	for _, args := range []string{
		dir + "dekker.imp", dir + "dekker-fenced.imp " + dir + "litmus/SB.litmus", "--fixes " + dir + "dekker.imp", "--fixes " + dir + "c/dekker.c",
		"-e bmc --unroll 1 " + dir + "dekker-fenced.imp", "testdata/fault.imp nothing.imp " + safe, "--property race " + dir + "c/spsc-ring.c",
		"--property deadlock " + dir + "dekker.imp", "--model rc11 --property race " + dir + "c/seqlock.c", "--model sc " + dir + "c/spinlock.c",
	} {
		_, out, stderr := inShell(t, "check -o sarif "+args)
		var log any
		if err := json.Unmarshal([]byte(out), &log); err != nil {
			t.Errorf("%s: %v\n%s", args, err, stderr)
			continue
		}
		if err := valid.Validate(log); err != nil {
			t.Errorf("%s: %v\n%.500s", args, err, out)
			continue
		}
		var known struct {
			Runs []struct {
				Tool struct {
					Driver struct{ Rules []sarifRule }
				}
				Results []struct {
					RuleID, Kind string
					CodeFlows    []any
					Fixes        []any
				}
			}
		}
		if err := json.Unmarshal([]byte(out), &known); err != nil {
			t.Fatal(err)
		}
		run := known.Runs[0]
		for _, r := range run.Results {
			if !slices.ContainsFunc(run.Tool.Driver.Rules, func(rule sarifRule) bool { return rule.ID == r.RuleID && rule.ShortDescription.Text != "" }) {
				t.Errorf("%s: the rule %s is not there, or says nothing", args, r.RuleID)
			}
			kinds[r.Kind], kinds["a flow"], kinds["a fix"] = true, kinds["a flow"] || r.CodeFlows != nil, kinds["a fix"] || r.Fixes != nil
		}
	}
	for _, kind := range []string{"pass", "open", "fail", "a flow", "a fix"} {
		if !kinds[kind] {
			t.Errorf("there was no result with %s", kind)
		}
	}
	// The schema notices what is wrong.
	for _, wrong := range []string{
		`{"$schema":"https://json.schemastore.org/sarif-2.1.0.json","version":"2.1","runs":[]}`,
		`{"$schema":"https://json.schemastore.org/sarif-2.1.0.json","version":"2.1.0","runs":[{"tool":{"driver":{"name":"x"}},"results":[{"ruleId":"x","kind":"pass","level":"error","message":{"text":"x"},"locations":[{"physicalLocation":{"artifactLocation":{"uri":"a"}}}]}]}]}`,
	} {
		var log any
		if err := json.Unmarshal([]byte(wrong), &log); err != nil {
			t.Fatal(err)
		}
		if valid.Validate(log) == nil {
			t.Errorf("%s is taken", wrong)
		}
	}
}
