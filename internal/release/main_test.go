package main

import (
	"bytes"
	"encoding/json"
	"os"
	"runtime/debug"
	"testing"
)

// TestMaterials: the bill of this test's binary is the same each time, and has its parts once.
func TestMaterials(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	text, err := materials(self)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := materials(self); err != nil || !bytes.Equal(text, again) {
		t.Errorf("%v\n%s\n%s", err, text, again)
	}
	var b bill
	if err := json.Unmarshal(text, &b); err != nil {
		t.Fatal(err)
	}
	refs := map[string]bool{}
	for _, p := range b.Parts {
		if refs[p.Ref] || p.Version == "" || p.Name == "" {
			t.Errorf("%+v", p)
		}
		refs[p.Ref] = true
	}
	if b.Format != "CycloneDX" || len(b.Needs) != 1 || len(b.Needs[0].On) != len(b.Parts) {
		t.Errorf("%s", text)
	}
}

func TestList(t *testing.T) {
	b := list(&debug.BuildInfo{
		GoVersion: "go1.26.0",
		Main:      debug.Module{Path: "example.org/m", Version: "v1.2.3"},
		Deps: []*debug.Module{
			{Path: "z.org/z", Version: "v0.1.0", Sum: "h1:z"},
			{Path: "a.org/a", Version: "v0.1.0", Replace: &debug.Module{Path: "b.org/b", Version: "v0.2.0"}},
		},
		Settings: []debug.BuildSetting{{Key: "GOOS", Value: "linux"}, {Key: "-ldflags", Value: "x"}},
	})
	if m := b.Metadata.Component; m.URL != "pkg:golang/example.org/m@v1.2.3" || len(m.Properties) != 1 {
		t.Errorf("%+v", m)
	}
	var got []string
	for _, p := range b.Parts {
		got = append(got, p.URL)
	}
	want := []string{"pkg:golang/b.org/b@v0.2.0", "pkg:golang/std@1.26.0", "pkg:golang/z.org/z@v0.1.0"}
	for i := range want {
		if len(got) != len(want) || got[i] != want[i] {
			t.Fatalf("%v, want %v", got, want)
		}
	}
}

// TestSystems: what is no system is said so.
func TestSystems(t *testing.T) {
	if err := release(t.TempDir(), []string{"linux"}); err == nil {
		t.Error("built for linux without an architecture")
	}
}
