// Command mutants breaks Fencepost on purpose, one mistake at a time, and sees whether the tests
// notice: go run ./bench/mutants. A mutant that survives is a test to write.
//
//	go run ./bench/mutants -list
//	go run ./bench/mutants -only 'buffer|lemma' -timeout 5m
//
// The mistakes are replacements of text (see table.go), given to go test as an overlay: no file
// is changed. A replacement whose text is gone, or is there twice, is an error, which the tests of
// this package find at once.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

func main() {
	only := flag.String("only", "", "mutants whose name or file `matches`")
	list := flag.Bool("list", false, "list them")
	timeout := flag.Duration("timeout", 10*time.Minute, "for the tests of a package")
	build := flag.Bool("build", false, "only see that they compile")
	long := flag.Bool("long", false, "all tests where the short ones do not notice")
	flag.Parse()
	match, err := regexp.Compile(*only)
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutants: -only:", err)
		os.Exit(2)
	}
	root, err := moduleRoot()
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(2)
	}
	survivors, broken, n := 0, 0, 0
	for i := range mutants {
		m := &mutants[i]
		if !match.MatchString(m.what) && !match.MatchString(m.file) {
			continue
		}
		if n++; *list {
			fmt.Printf("%s: %s\n", m.file, m.what)
			continue
		}
		r, err := m.test(root, *timeout, *long, *build)
		if err != nil {
			fmt.Fprintf(os.Stderr, "mutants: %s: %v\n", m.what, err)
			broken++
			continue
		}
		fmt.Printf("| %s | %s | %s | %.0f s |\n", m.what, m.file, r.by, r.took.Seconds())
		if !r.killed {
			survivors++
		}
	}
	fmt.Printf("%d mutants, %d survive\n", n, survivors)
	switch {
	case broken > 0:
		os.Exit(2)
	case survivors > 0:
		os.Exit(1)
	}
}

// moduleRoot is the folder with go.mod.
func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	for err == nil {
		if _, e := os.Stat(filepath.Join(dir, "go.mod")); e == nil {
			return dir, nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			err = fmt.Errorf("no go.mod above the working directory")
		}
		dir = up
	}
	return "", err
}

// mutated is the text of the file with the mistake.
func (m *mutant) mutated(root string) (string, error) {
	text, err := os.ReadFile(filepath.Join(root, m.file))
	if err != nil {
		return "", err
	}
	if n := strings.Count(string(text), m.old); n != 1 {
		return "", fmt.Errorf("%s has %q %d times, and not once: mend the table", m.file, m.old, n)
	}
	return strings.Replace(string(text), m.old, m.new, 1), nil
}

// A result is what became of a mutant.
type result struct {
	killed bool
	by     string // the test and its package
	took   time.Duration
}

// failed is the first line of go test that names a test that failed.
var failed = regexp.MustCompile(`(?m)^\s*--- FAIL: (\S+)|^(panic: .*|.*\[build failed\].*)$`)

// test runs the tests with the mistake, package after package, until one fails.
func (m *mutant) test(root string, timeout time.Duration, long, build bool) (*result, error) {
	text, err := m.mutated(root)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "mutants-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	changed := filepath.Join(dir, filepath.Base(m.file))
	overlay, _ := json.Marshal(map[string]map[string]string{"Replace": {filepath.Join(root, m.file): changed}})
	list := filepath.Join(dir, "overlay.json")
	for name, b := range map[string][]byte{changed: []byte(text), list: overlay} {
		if err := os.WriteFile(name, b, 0o600); err != nil {
			return nil, err
		}
	}
	start := time.Now()
	if build {
		cmd := exec.Command("go", "build", "-overlay", list, "./"+filepath.Dir(m.file))
		cmd.Dir = root
		if out, err := cmd.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("it does not compile:\n%s", out)
		}
		return &result{killed: true, by: "compiles", took: time.Since(start)}, nil
	}
	for _, short := range []string{"-short", ""} {
		if short == "" && !long {
			break
		}
		for pkg := range strings.FieldsSeq(m.tests) {
			ctx, cancel := context.WithTimeout(context.Background(), 2*timeout)
			args := []string{"test", "-overlay", list, "-vet=off", "-failfast", "-count=1", "-timeout", timeout.String()}
			if m.run != "" {
				args = append(args, "-run", m.run)
			}
			if short != "" {
				args = append(args, short)
			}
			cmd := exec.CommandContext(ctx, "go", append(args, pkg)...)
			cmd.Dir = root
			out, err := cmd.CombinedOutput()
			cancel()
			if err == nil {
				continue
			}
			r := &result{killed: true, by: pkg, took: time.Since(start)}
			if found := failed.FindStringSubmatch(string(out)); found != nil {
				r.by += ": " + found[1] + found[2]
			}
			if strings.Contains(string(out), "test timed out") { // which says nothing on a slow machine
				return &result{by: pkg + ": NO ANSWER IN TIME", took: time.Since(start)}, nil
			}
			if strings.Contains(string(out), "[build failed]") {
				return nil, fmt.Errorf("it does not compile:\n%s", out)
			}
			return r, nil
		}
	}
	return &result{by: "SURVIVES", took: time.Since(start)}, nil
}
