package main

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
)

// TestSchema: what commands print is what the schema says, for every type in it.
func TestSchema(t *testing.T) {
	_, text, _ := inShell(t, "schema")
	var schema jsonschema.Schema
	if err := json.Unmarshal([]byte(text), &schema); err != nil {
		t.Fatal(err)
	}
	all, err := schema.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	single := map[string]*jsonschema.Resolved{}
	for name, s := range schema.Defs {
		if single[name], err = s.CloneSchemas().Resolve(nil); err != nil {
			t.Fatal(err)
		}
	}
	const dir = "../../examples/"
	t.Setenv("FENCEPOST_TEST_MAIN", "1") // workers are this program
	var lines []string
	for _, args := range []string{
		"check " + dir + "dekker.imp", "check " + dir + "dekker-fenced.imp", "check -e bmc --unroll 1 " + dir + "dekker-fenced.imp",
		"check testdata/fault.imp", "check nothing.imp", "check --property race " + dir + "c/spsc-ring.c", "check -p deadlock " + dir + "dekker.imp",
		"check -m rc11 -e graphs " + dir + "litmus/SB.litmus",
		"explore " + dir + "dekker.imp", "explore --por optimal " + dir + "litmus/SB.litmus", "states " + dir + "litmus/SB.litmus",
		"robust " + dir + "dekker.imp", "robust " + dir + "dekker-fenced.imp", "robust --property trf " + dir + "dekker.imp",
		"fences " + dir + "dekker.imp", "fences " + dir + "dekker-fenced.imp", "fences --redundant " + dir + "dekker-fenced.imp",
		"explain " + dir + "litmus/SB.litmus", "explain -m sc " + dir + "litmus/SB.litmus",
		"litmus " + dir + "litmus", "litmus --models sc,tso " + dir + "litmus/SB.litmus",
		"compare -m sc --engine explicit " + dir + "litmus/SB.litmus", "selftest --programs 1 --seed 3",
		"batch --workers 1 --state " + t.TempDir() + " " + dir + "litmus/SB.litmus", "models compare --arch aarch64 sc armv8", "explore --por graphs --estimate " + dir + "counts/ainc.imp",
	} {
		_, out, stderr := inShell(t, args+" -o json")
		got := strings.Split(strings.TrimSpace(out), "\n")
		if len(got) == 0 || got[0] == "" {
			t.Errorf("%s: nothing printed: %s", args, stderr)
			continue
		}
		lines = append(lines, got...)
	}
	for _, file := range []string{"litmus.jsonl", "explain.jsonl"} {
		b, err := os.ReadFile("testdata/golden/" + file)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, strings.Split(strings.TrimSpace(string(b)), "\n")...)
	}
	missing := map[string]bool{}
	for name := range schema.Defs {
		missing[name] = true
	}
	for _, line := range lines {
		var o map[string]any
		if err := json.Unmarshal([]byte(line), &o); err != nil {
			t.Errorf("%v: %.200s", err, line)
			continue
		}
		kind, _ := o["type"].(string)
		delete(missing, kind)
		if single[kind] == nil {
			t.Errorf("type %q: %.200s", kind, line)
			continue
		}
		if err := single[kind].Validate(o); err != nil {
			t.Errorf("%v\n%.300s", err, line)
		}
		if err := all.Validate(o); err != nil {
			t.Errorf("%v\n%.300s", err, line)
		}
		var unknown []string
		for field := range o {
			if schema.Defs[kind].Properties[field] == nil {
				unknown = append(unknown, field)
			}
		}
		if slices.Sort(unknown); len(unknown) > 0 {
			t.Errorf("%s: fields %s are not in the schema", kind, strings.Join(unknown, ", "))
		}
	}
	delete(missing, "hw") // it begins this program again, which is a test here
	for name := range missing {
		t.Errorf("no object of type %s was printed", name)
	}
}
