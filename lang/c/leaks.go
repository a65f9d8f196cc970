package c

import "github.com/fencepost-verifier/fencepost/lang/c/operations"

// ends notes that the program ends here.
func (l *lowerer) ends() {
	if l.u.opts.Leaks && l.dryness == 0 {
		l.operate(&operations.Leak{})
	}
}
