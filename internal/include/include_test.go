package include_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/fencepost-verifier/fencepost/internal/include"
)

func TestBelow(t *testing.T) {
	top := t.TempDir()
	at := func(name string) string { return filepath.Join(top, filepath.FromSlash(name)) }
	for _, dir := range []string{"in/lib", "out", "named"} {
		if err := os.MkdirAll(at(dir), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{"in/p", "in/lib/a", "out/b", "named/c"} {
		if err := os.WriteFile(at(file), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	links := os.Symlink(at("out"), at("in/away")) == nil && os.Symlink(at("in/lib"), at("in/near")) == nil
	t.Chdir(top)
	allowed := include.Below(filepath.Join("in", "p"), []string{"named"})
	for _, test := range []struct {
		file string
		link bool
		want bool
	}{
		{"in/lib/a", false, true},
		{at("in/lib/a"), false, true},
		{"named/c", false, true},
		{at("named/c"), false, true},
		{"in/none", false, true}, // it is not there, which who reads it says
		{"out/b", false, false},
		{"in/../out/b", false, false},
		{at("out/b"), false, false},
		{"in/away/b", true, false},
		{"in/near/a", true, true},
	} {
		if test.link && !links {
			continue
		}
		if err := allowed(filepath.FromSlash(test.file)); (err == nil) != test.want || err != nil && !errors.Is(err, include.ErrOutside) {
			t.Errorf("%s: %v", test.file, err)
		}
	}
}
