//go:build js

package solver

import "errors"

func newProcess(string) (backend, error) {
	return nil, errors.New("not built in, and there are no programs to run on this platform")
}

func programs() []string { return nil }
