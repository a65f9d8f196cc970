package report

import (
	"fmt"
	"io"
	"math"

	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// An Estimate is how many executions there seem to be, from random walks.
type Estimate struct {
	File  string       `json:"file"`
	Model memory.Model `json:"model"`
	// Executions and Blocked are means. A quarter of the walks has less than Lower, of both
	// together, and a quarter more than Upper.
	Walks      int     `json:"walks"`
	Executions float64 `json:"executions"`
	Blocked    float64 `json:"blocked"`
	Lower      float64 `json:"lower"`
	Median     float64 `json:"median"`
	Upper      float64 `json:"upper"`
	// Tail is true where a single walk has a tenth of the whole: then the mean is not to be
	// trusted, as a rule it is too small.
	Tail bool `json:"tail"`
}

// Text writes e for people.
func (e *Estimate) Text(w io.Writer) error {
	if _, err := fmt.Fprintf(w, "about %s, %s blocked  %s  under %s\n  from %s random walks; half of them say between %s and %s graphs, the median is %s\n",
		counted(approx(e.Executions), "executions"), approx(e.Blocked), e.File, e.Model, grouped(int64(e.Walks)), approx(e.Lower), approx(e.Upper), approx(e.Median)); err != nil {
		return err
	}
	if e.Tail {
		_, err := io.WriteString(w, "  one walk has a tenth of the sum or more: there may be many more\n")
		return err
	}
	return nil
}

// JSON writes e as one object on one line.
func (e *Estimate) JSON(w io.Writer) error { return writeObject(w, *e) }

// approx is n to three places.
func approx(n float64) string {
	if n >= 1e15 {
		return fmt.Sprintf("%.2e", n)
	}
	unit := math.Pow(10, max(0, math.Floor(math.Log10(max(n, 1)))-2))
	return verdict.Thousands(int64(math.Round(n/unit) * unit))
}
