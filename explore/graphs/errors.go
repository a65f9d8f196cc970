package graphs

import (
	"errors"
	"fmt"
)

// Why an enumeration need not be complete. [Reason] has them in words.
var (
	// ErrCut says that there are executions beyond the bound on back edges.
	ErrCut = errors.New("graphs: there are executions with more rounds of a loop than the bound")
	// ErrValues says that there is too much that a thread may read and compute.
	ErrValues = errors.New("graphs: too many values to choose from for an enumeration of executions")
	// ErrMemory says that the memory limit is reached.
	ErrMemory = errors.New("graphs: the memory limit is reached")
	// ErrMany says that there are more partial executions than were asked for.
	ErrMany = errors.New("graphs: there are too many partial executions")
	// ErrLong says that executions are longer than a model can be evaluated on in time.
	ErrLong = fmt.Errorf("graphs: executions of more than %d events, or %d steps", maxEvents, maxSteps)
)

// A choiceError is [ErrValues] because of one choice.
type choiceError struct{ choice string }

func (e *choiceError) Error() string { return ErrValues.Error() + ": " + e.choice }
func (e *choiceError) Unwrap() error { return ErrValues }

const (
	// maxEvents is how many events there can be for an evaluation of a model to be a
	// matter of less than a second, and maxSteps how deep the enumeration may go.
	maxEvents = 1000
	maxSteps  = 200_000
)

// Reason is in words why the enumeration that ended with err is not complete; "" where err
// is none of the errors above.
func Reason(err error) string {
	var choice *choiceError
	switch {
	case errors.As(err, &choice):
		return "there are too many values to choose from for an enumeration of executions: " + choice.choice
	case errors.Is(err, ErrCut):
		return "there are executions with more rounds of a loop"
	case errors.Is(err, ErrValues):
		return "there are too many values to choose from for an enumeration of executions"
	case errors.Is(err, ErrMemory):
		return "not all executions: the memory limit is reached"
	case errors.Is(err, ErrMany):
		return "there are too many partial executions"
	case errors.Is(err, ErrLong):
		return fmt.Sprintf("there are executions of more than %d events, or %d steps", maxEvents, maxSteps)
	}
	return ""
}
