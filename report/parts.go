package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/fencepost-verifier/fencepost/verdict"
)

// A Part is what a format has to say of one answer, ready to be written, or kept for
// another time: see [WriteParts].
type Part struct {
	Format  Format  `json:"format"`
	Verdict string  `json:"verdict"` // SAFE, UNSAFE, UNKNOWN or ERROR
	Text    string  `json:"text"`
	Rule    string  `json:"rule,omitempty"` // of SARIF
	Seconds float64 `json:"seconds"`
}

// The verdict of a file that cannot be checked, and of one about which nothing is known: see [StoppedError].
const (
	errorVerdict   = "ERROR"
	unknownVerdict = "UNKNOWN"
)

// A StoppedError says that there is no answer because the work was stopped before there could be one, as by the time
// limit while a program was read. Nothing is wrong with the program then: the verdict is UNKNOWN.
type StoppedError struct{ Why string }

func (e *StoppedError) Error() string { return "stopped " + e.Why }

// faultVerdict is the verdict where fault is in the place of an answer.
func faultVerdict(fault error) string {
	if errors.As(fault, new(*StoppedError)) {
		return unknownVerdict
	}
	return errorVerdict
}

// Collected is true of a format whose parts make one document, which is written when all are
// there; those of the others follow each other.
func (f Format) Collected() bool { return f == SARIFFormat || f == JUnitFormat || f == GitHubFormat }

// NewPart is the part about an answer of a collected format. file is how the user named the
// program.
func NewPart(f Format, r *verdict.Result, file string) (Part, error) {
	p := Part{Format: f, Verdict: r.Verdict().String(), Seconds: r.Elapsed.Seconds()}
	var err error
	switch f {
	case SARIFFormat:
		p.Text, p.Rule, err = sarifPart(r, file)
	case JUnitFormat:
		p.Text, err = junitPart(r, file)
	case GitHubFormat:
		p.Text = githubPart(r, file)
	default:
		err = fmt.Errorf("report: %s has no parts", f)
	}
	return p, err
}

// ErrorPart is the part about a file that cannot be checked, or was not: see [StoppedError].
func ErrorPart(f Format, file string, fault error) (Part, error) {
	p := Part{Format: f, Verdict: faultVerdict(fault)}
	var err error
	switch f {
	case SARIFFormat:
		p.Text, p.Rule, err = sarifError(file, fault)
	case JUnitFormat:
		p.Text, err = junitError(file, fault)
	case GitHubFormat:
		p.Text = githubError(file, fault)
	default:
		err = fmt.Errorf("report: %s has no parts", f)
	}
	return p, err
}

// WriteParts writes the parts of a collected format as one document.
func WriteParts(w io.Writer, f Format, parts []Part) error {
	switch f {
	case SARIFFormat:
		return sarifDocument(w, parts)
	case JUnitFormat:
		return junitDocument(w, parts)
	}
	for _, p := range parts {
		if _, err := io.WriteString(w, p.Text); err != nil {
			return err
		}
	}
	return nil
}

// compact is v in JSON, without escapes for HTML.
func compact(v any) (string, error) {
	b, err := json.Marshal(v)
	return string(b), err
}
