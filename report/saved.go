package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// MaxRun is the size, in bytes, from which on a saved run is refused.
const MaxRun = 256 << 20

// ReadRun reads the first run that there is in what [JSON] has written. Nothing that it says is
// believed: it is to be replayed.
func ReadRun(r io.Reader) (*verdict.SavedRun, error) {
	in := &io.LimitedReader{R: r, N: MaxRun + 1}
	d := json.NewDecoder(in)
	seen := ""
	for {
		var o jsonResult
		err := d.Decode(&o)
		switch {
		case in.N <= 0:
			return nil, fmt.Errorf("too large: more than %d MiB", MaxRun>>20)
		case err == io.EOF && seen == "":
			return nil, errors.New("there is no result in it")
		case err == io.EOF:
			return nil, errors.New("there is no run in it: " + seen)
		case err != nil:
			return nil, fmt.Errorf("not what \"check -o json\" writes: %w", err)
		case len(o.Run) > 0 || o.Program != "":
			return o.saved()
		}
		seen = fmt.Sprintf("the verdict of %s is %s", o.File, o.Verdict)
		if o.Execution != nil {
			seen += ", and its evidence is an execution graph, which has no steps"
		}
	}
}

func (o *jsonResult) saved() (*verdict.SavedRun, error) {
	m := memory.Model(o.Model)
	if !m.Operational() {
		return nil, fmt.Errorf("the model %q has no runs", o.Model)
	}
	s := &verdict.SavedRun{File: o.File, Program: o.Program, Model: m, Property: verdict.Question(o.Property)}
	if o.Violation != nil {
		s.Text = o.Violation.Text
	}
	for _, st := range o.Run {
		s.Steps = append(s.Steps, verdict.SavedStep{Thread: st.Thread, Edge: st.Edge, Choice: st.Choice, Memory: st.Memory})
	}
	return s, nil
}
