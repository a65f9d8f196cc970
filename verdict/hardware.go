package verdict

import "time"

// A Hardware is what a processor was seen to do with a litmus test.
type Hardware struct {
	Name, Condition string
	Runs            int
	States          []HardwareState
	// Incomplete says why it is not known what a model allows; then nothing is called forbidden.
	Incomplete string
	Elapsed    time.Duration
}

// A HardwareState is a final state, as herd7 prints it.
type HardwareState struct {
	State   string
	Seen    int  // how often
	SC, TSO bool // the models allow it
	Asked   bool // it satisfies the condition
	Foreign bool // no model was found to allow it
}

// Forbidden is whether a state was seen that TSO does not allow.
func (h *Hardware) Forbidden() bool {
	for _, s := range h.States {
		if h.Incomplete == "" && s.Seen > 0 && !s.TSO {
			return true
		}
	}
	return false
}

// Weak counts states that TSO allows and SC does not, and those of them that were seen.
func (h *Hardware) Weak() (allowed, seen int) {
	for _, s := range h.States {
		if s.TSO && !s.SC {
			allowed++
			if s.Seen > 0 {
				seen++
			}
		}
	}
	return allowed, seen
}
