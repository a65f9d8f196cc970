//go:build !cadical || !cgo

package solver

import "errors"

const cadicalBuilt = false

func newCadical() (backend, error) {
	return nil, errors.New("not in this binary, which was not built with cgo and -tags cadical")
}
