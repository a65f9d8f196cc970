package engine

import (
	"strings"

	"github.com/fencepost-verifier/fencepost/abstract"
)

// Coherence is the engine "coherence:K", which searches the partial coherence
// abstraction of TSO with queues of k stores.
func Coherence(k int) Name { return Name(abstract.Name(abstract.Coherence{K: k})) }

func coherenceEngine() Engine {
	name, _, _ := strings.Cut(string(Coherence(0)), ":")
	e := abstraction(Name(name), "searches their abstraction to a queue of K stores and a set behind it", nil)
	e.Family = &Family{Param: "K", Listed: []string{"1", "2"}, Of: func(param string) (Engine, bool) {
		b, err := abstract.ParseBuffer(name + ":" + param)
		return abstraction(Name(abstract.Name(b)), e.Doc, b), err == nil
	}}
	return e
}
