package suite

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fencepost-verifier/fencepost/lang"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// An Expected is what tests should come to.
type Expected struct {
	path  string
	tests map[string]expectedTest // by file, with slashes
}

type expectedTest struct {
	name, kind, condition string
	models                map[string]expectedOutcome
}

type expectedOutcome struct {
	States      []string `json:"states"`
	Observation string   `json:"observation"`
	Verdict     string   `json:"verdict"`
}

// ReadExpected reads a list of expectations: a line with a JSON object for every
// test. It has file, the path of the test from the directory that the list is in
// or from the directory that is given to [Files]; name, kind and condition; and
// for every model, under its name, states, observation and verdict.
func ReadExpected(path string) (*Expected, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, lang.Unreadable(path, err)
	}
	defer f.Close()
	return readExpected(f, path)
}

// maxExpected bounds what a list of expectations may be, in bytes.
const maxExpected = 256 << 20

func readExpected(in io.Reader, path string) (*Expected, error) {
	x := &Expected{path: path, tests: map[string]expectedTest{}}
	most := &io.LimitedReader{R: in, N: maxExpected + 1}
	r := bufio.NewReader(most)
	for n := 1; ; n++ {
		line, err := r.ReadBytes('\n')
		if most.N <= 0 {
			return nil, &program.Diagnostic{Source: &program.Source{Name: path}, Msg: fmt.Sprintf("too large: more than %d MiB", maxExpected>>20)}
		}
		if len(bytes.TrimSpace(line)) > 0 {
			if err := x.add(line); err != nil {
				return nil, &program.Diagnostic{Source: &program.Source{Name: path}, Msg: fmt.Sprintf("line %d: %v", n, err),
					Hint: `a line is such as {"file": "SB.litmus", "tso": {"states": [...], "observation": "Sometimes", "verdict": "Ok"}}`}
			}
		}
		if err == io.EOF {
			return x, nil
		}
		if err != nil {
			return nil, lang.Unreadable(path, err)
		}
	}
}

func (x *Expected) add(line []byte) error {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(line, &fields); err != nil {
		return err
	}
	t := expectedTest{models: map[string]expectedOutcome{}}
	var file string
	for key, raw := range fields {
		var err error
		switch key {
		case "file":
			err = json.Unmarshal(raw, &file)
		case "name":
			err = json.Unmarshal(raw, &t.name)
		case "kind":
			err = json.Unmarshal(raw, &t.kind)
		case "condition":
			err = json.Unmarshal(raw, &t.condition)
		default:
			var o expectedOutcome
			err = json.Unmarshal(raw, &o)
			t.models[key] = o
		}
		if err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
	}
	if file == "" {
		return fmt.Errorf("no file is named")
	}
	x.tests[file] = t
	return nil
}

// find is what is expected of a test.
func (x *Expected) find(f File) (expectedTest, bool) {
	if dir, err := filepath.Abs(filepath.Dir(x.path)); err == nil {
		if file, err := filepath.Abs(f.Path); err == nil {
			if rel, err := filepath.Rel(dir, file); err == nil {
				if t, ok := x.tests[filepath.ToSlash(rel)]; ok {
					return t, true
				}
			}
		}
	}
	t, ok := x.tests[filepath.ToSlash(f.Rel)]
	return t, ok
}

// compare lists the differences.
func (x *Expected) compare(f File, l *verdict.Litmus) []string {
	t, ok := x.find(f)
	if !ok {
		return []string{"nothing is expected of this test"}
	}
	want, ok := t.models[string(l.Model)]
	if !ok {
		return []string{fmt.Sprintf("nothing is expected of this test under %s", l.Model)}
	}
	var ds []string
	differ := func(what, got, want string) {
		if want != "" && got != want {
			ds = append(ds, fmt.Sprintf("%s: %s, expected %s", what, got, want))
		}
	}
	differ("name", l.Name, t.name)
	differ("kind", l.Kind, t.kind)
	differ("condition", l.Condition, t.condition)
	differ("observation", l.Observation, want.Observation)
	differ("verdict", l.Verdict(), want.Verdict)
	states := func(what string, ss, not []string) {
		var only []string
		for _, s := range ss {
			if !slices.Contains(not, s) {
				only = append(only, s)
			}
		}
		if len(only) > 0 {
			ds = append(ds, what+": "+strings.Join(only, "  "))
		}
	}
	states("states that are not expected", l.States, want.States)
	states("states that are missing", want.States, l.States)
	if len(ds) == 0 && !slices.Equal(l.States, want.States) {
		ds = append(ds, "states: in another order")
	}
	return ds
}
