// Package memory names the memory models that programs are checked under.
package memory

import "fmt"

// A Model is a memory model.
type Model string

// The models.
const (
	// SC is sequential consistency: a store is in memory at once.
	SC Model = "sc"
	// TSO is total store order, as x86 and SPARC have it: a thread's stores
	// pass through a first-in first-out buffer that only the thread sees.
	TSO Model = "tso"
)

// Models lists the models, the strongest first.
func Models() []Model { return []Model{SC, TSO} }

// Parse is the model of that name.
func Parse(name string) (Model, error) {
	for _, m := range Models() {
		if string(m) == name {
			return m, nil
		}
	}
	return "", fmt.Errorf("unknown memory model %q (known: sc, tso)", name)
}
