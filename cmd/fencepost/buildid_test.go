package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestBuildID: on every system a program is named by the digest that Go's linker wrote into it, and another
// program has another name.
func TestBuildID(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs for three systems")
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module m\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	seen := map[string]string{}
	for _, system := range []string{"linux", "windows", "darwin"} {
		for _, what := range []string{"1", "2"} {
			if err := os.WriteFile(filepath.Join(dir, "m.go"), []byte("package main\nfunc main() { println("+what+") }\n"), 0o666); err != nil {
				t.Fatal(err)
			}
			build := exec.Command("go", "build", "-o", "m", ".")
			if system != runtime.GOOS { // nothing is there yet, and without inlining it is compiled in half the time
				build.Args = append(build.Args[:2:2], "-gcflags=all=-l -dwarf=false", "-o", "m", ".")
			}
			build.Dir = dir
			build.Env = append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0", "GOWORK=off", "GOFLAGS=")
			if out, err := build.CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			want, err := exec.Command("go", "tool", "buildid", filepath.Join(dir, "m")).Output()
			if err != nil {
				t.Fatal(err)
			}
			f, err := os.Open(filepath.Join(dir, "m"))
			if err != nil {
				t.Fatal(err)
			}
			id := buildID(f)
			f.Close()
			if id == "" || !strings.HasSuffix(strings.TrimSpace(string(want)), "/"+id) {
				t.Errorf("%s: %q, and Go says %s", system, id, want)
			}
			if name := system + " " + what; seen[id] != "" {
				t.Errorf("%s is %s", name, seen[id])
			} else {
				seen[id] = name
			}
		}
	}
	if id := buildID(strings.NewReader("no program")); id != "" {
		t.Errorf("a text has the build ID %q", id)
	}
}
