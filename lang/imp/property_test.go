package imp

import (
	"fmt"
	"testing"
)

const propertyProgram = `program F
const N = 3
variables x, turn, flag[N], bool b
process P[i in 0..N-1]
  local r, t[2]
begin
  cs: flag[i] := 1;
  if N > 5 then never: skip fi
end
process Q
  local r
begin
  1: x := 1; two: skip
end
process R[j in 1..3] begin cs: skip end
`

var propertyCases = []struct{ property, want string }{
	{"forbid deadlock", "forbid deadlock <nil>"},
	{"forbid Q@1 & x = 1", "forbid Q@1 && (x == 1)"},
	{"forbid Q@1 and x = 1;", "forbid Q@1 && (x == 1)"},
	{"forbid Q@1 | Q@two & x < 2", "forbid Q@1 || (Q@two && (x < 2))"},
	{"forbid (Q@1 | Q@two) && not Q@1", "forbid (Q@1 || Q@two) && !Q@1"},
	{"exists Q.r = 0 & P[0].t[1] != 2", "exists (Q.r == 0) && (P[0].t[1] != 2)"},
	{"~exists x = 1", "exists x == 1"},
	{"~ exists x = 1", "exists x == 1"},
	{"not exists x = 1", "exists x == 1"},
	{"!exists x = 1", "exists x == 1"},
	{"forall x = 1 or not b", "forall (x == 1) || !b"},
	{"forbid P[i]@cs", "forbid P[0]@cs || (P[1]@cs || P[2]@cs)"},
	{"forall P[i].r = 0", "forall (P[0].r == 0) && ((P[1].r == 0) && (P[2].r == 0))"},
	{"forbid P[i]@cs & P[j]@cs for i != j & i + j = 1", "forbid (P[0]@cs && P[1]@cs) || (P[1]@cs && P[0]@cs)"},
	{"forbid P[i]@cs & P[(i+1)%N].r = i for i > 0", "forbid (P[1]@cs && (P[2].r == 1)) || (P[2]@cs && (P[0].r == 2))"},
	{"forbid P[i]@cs & R[i]@cs", "forbid (P[1]@cs && R[1]@cs) || (P[2]@cs && R[2]@cs)"},
	{"forbid P[i]@cs & i > 0 & flag[i-1] = 1", "forbid (P[1]@cs && (flag[0] == 1)) || (P[2]@cs && (flag[1] == 1))"},
	{"forbid P[i]@cs & R[k]@cs for i = k and i = 2", "forbid P[2]@cs && R[2]@cs"},
	{"forbid P[i]@cs for i > 5", "forbid 0"},
	{"forall P[i].r = 0 for false", "forall 1"},
	{"exists P[i].r = 0 for all", "exists (P[0].r == 0) && ((P[1].r == 0) && (P[2].r == 0))"},
	{"forbid P[i]@cs for all where i < 2", "forbid P[0]@cs && P[1]@cs"},
	{"forbid P[0]@never", "forbid 0"},
	{"forall P[0]@never | x = 1", "forall x == 1"},
	{"forbid true", "forbid 1"},
	{"exists x + 2 * turn - 1 << 1 = 4 ^ 1", "exists (((x + (2 * turn)) - 1) << 1) == 5"},
	{"exists x / 2 % N = -1", "exists ((x / 2) % 3) == -1"},
	{"exists x = 1 and true", "exists x == 1"},
	{"exists x and true", "exists x != 0"},
	{"exists P[N-1].r", "exists P[2].r"},
}

func TestProperties(t *testing.T) {
	const text = propertyProgram
	for _, c := range propertyCases {
		p := mustParse(t, text+c.property, nil)
		pr := p.Properties[0]
		if got := fmt.Sprint(pr.Kind, " ", pr.Cond); got != c.want {
			t.Errorf("%s: got %s, want %s", c.property, got, c.want)
		}
		// Before the processes it is the same.
		p = mustParse(t, "program F "+c.property+" "+text[len("program F"):], nil)
		if got := fmt.Sprint(p.Properties[0].Kind, " ", p.Properties[0].Cond); got != c.want {
			t.Errorf("%s, in front: got %s, want %s", c.property, got, c.want)
		}
	}
}

func TestPropertyText(t *testing.T) {
	p := mustParse(t, `program T variables x process P begin cs:x := 1 end
~exists   x=1 // one
  & /* two */
	x != 2;
forbid deadlock`, nil)
	if got, want := p.Properties[0].Text, "~exists x=1 & x != 2"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
