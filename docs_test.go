package fencepost_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestAPIPage: the code in docs/api.md is code of examples, which are run.
func TestAPIPage(t *testing.T) {
	lines := func(file string) string {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		for line := range strings.Lines(string(text)) {
			b.WriteString(strings.TrimSpace(line) + "\n")
		}
		return b.String()
	}
	examples := lines("example_test.go") + lines("fencetest/fencetest_test.go")
	for i, part := range strings.Split(lines("docs/api.md"), "```go\n") {
		if code, _, _ := strings.Cut(part, "```"); i > 0 && !strings.Contains(examples, code) {
			t.Errorf("no example has\n%s", code)
		}
	}
}

// TestPackages: docs/architecture.md has every package.
func TestPackages(t *testing.T) {
	page, err := os.ReadFile("docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	err = filepath.WalkDir(".", func(file string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && (file == "bench" || e.Name() == "testdata" || file != "." && strings.HasPrefix(e.Name(), ".")):
			return fs.SkipDir
		}
		if dir := filepath.ToSlash(filepath.Dir(file)); dir != "." && strings.HasSuffix(file, ".go") && !strings.Contains(string(page), "`"+dir+"`") {
			t.Errorf("nothing is said of %s", dir)
			return fs.SkipDir
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
