package memory

import (
	"math/rand/v2"
	"reflect"
	"testing"
)

// TestFill compares a graph that is filled at once, in the memory of one before, with one to which the events are added.
func TestFill(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	var filled Graph
	for range 300 {
		var events []Event
		for th := InitialThread; th < 3; th++ {
			for i := range rng.IntN(30) {
				events = append(events, Event{Thread: th, Kind: Kind(rng.IntN(2)), Part: i > 0 && th != InitialThread && rng.IntN(3) == 0, Index: 7})
			}
		}
		added := Graph{Picks: rng.IntN(2) == 0}
		for _, e := range events {
			added.Add(e)
		}
		filled.Fill(append(filled.Events[:0], events...), added.Picks)
		if len(events) > 0 && !reflect.DeepEqual(filled.Events, added.Events) {
			t.Fatalf("events %v, want %v", filled.Events, added.Events)
		}
		for k, r := range filled.relations() {
			if !r.Equal(*added.relations()[k]) {
				t.Fatalf("relation %d is not the same", k)
			}
		}
		for i := range len(events) - 1 {
			filled.RF.Add(i, i+1)
			filled.PickAddr = filled.RF.Clone()
		}
	}
}
