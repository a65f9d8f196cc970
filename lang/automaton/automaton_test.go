package automaton

import (
	"fmt"
	"testing"

	"github.com/fencepost-verifier/fencepost/program"
)

// A loop whose head is known only after its body, with a label that was bound to
// the head and a state that nothing leads to.
func TestBuilder(t *testing.T) {
	var b Builder
	var at program.Position
	head, label, end, stray := b.State(at), b.State(at), b.State(at), b.State(at)
	body := b.State(at)
	b.States[label].Labels = []string{"top"}
	b.Edge(body, head, program.Skip(), at)
	b.Edge(body, end, program.Skip(), at)
	b.Edge(stray, end, program.Skip(), at)
	if !b.Bind(label, head) || !b.Bind(head, body) || b.Bind(label, body) {
		t.Error("bound the wrong states")
	}
	if n := b.States[b.Find(label)].In; n != 1 {
		t.Errorf("%d edges lead to the head, want 1", n)
	}
	var th program.Thread
	b.Finish(&th, head, end)
	got := ""
	for _, e := range th.Edges {
		got += fmt.Sprint(th.States[e.From].Name, " -> ", th.States[e.To].Name, "; ")
	}
	if want := "top -> top; top -> end; "; got != want || len(th.States) != 2 {
		t.Errorf("%d states, %s, want %s", len(th.States), got, want)
	}
}
