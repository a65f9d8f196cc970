package imp

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/program"
)

func parse(text string, defines map[string]int64) (*program.Program, error) {
	return Parse(&program.Source{Name: "t.imp", Text: text}, defines)
}

func mustParse(t *testing.T, text string, defines map[string]int64) *program.Program {
	t.Helper()
	p, err := parse(text, defines)
	if err != nil {
		t.Fatal(err)
	}
	if err := wellFormed(p); err != nil {
		t.Fatal(err)
	}
	return p
}

// wellFormed tests what Parse promises beyond program.Sanity.
func wellFormed(p *program.Program) error {
	if err := program.Sanity(p); err != nil {
		return err
	}
	for _, th := range p.Threads {
		names, reached := map[string]bool{}, map[program.StateID]bool{th.Initial: true}
		for _, e := range th.Edges {
			reached[e.To] = true
			if !e.Pos.IsValid() || !th.States[e.From].Pos.IsValid() {
				return fmt.Errorf("thread %s: no position at %s", th.Name, e.Cmd.Format(p, th))
			}
		}
		ends := 0
		for q, out := range th.Out() {
			s := th.States[q]
			if names[s.Name] || s.Name == "" {
				return fmt.Errorf("thread %s: name %q", th.Name, s.Name)
			}
			names[s.Name] = true
			if !reached[program.StateID(q)] {
				return fmt.Errorf("thread %s: nothing leads to %s", th.Name, s.Name)
			}
			if len(out) == 0 {
				ends++
			}
		}
		if ends > 1 {
			return fmt.Errorf("thread %s has %d ends", th.Name, ends)
		}
	}
	return nil
}

// format is a thread in a compact form, a line for each edge.
func format(p *program.Program, th *program.Thread) string {
	var b strings.Builder
	for q, out := range th.Out() {
		name := strings.Join(th.States[q].Labels, "=")
		if name == "" {
			name = th.States[q].Name
		}
		if len(out) == 0 {
			fmt.Fprintf(&b, "%s.\n", name)
		}
		for _, i := range out {
			e := th.Edges[i]
			fmt.Fprintf(&b, "%s: %s -> %s\n", name, e.Cmd.Format(p, th), th.States[e.To].Name)
		}
	}
	return b.String()
}

func place(p program.Position) string { return fmt.Sprintf("%d:%d", p.Line, p.Col) }

// dekker is figure 2.3 of the thesis; the words about the lines are there.
const dekker = `program Dekker variables turn = flag0 = flag1 = 0
process P0 begin
  while true do
1:                                   // non-critical section
2:  flag0 := 1;                      // P0 wants critical section access
3:  while flag1 = 1 do               // check for contention from P1
4:    if turn != 0 then              // check if P1 is given priority
5:      flag0 := 0;                  // yield since P1 has priority
6:      while turn != 0 do           // busy wait for P0's turn
7:        skip;
        od;
8:      flag0 := 1;                  // re-affirm P0's contention
      fi;
    od;
9:  skip;                            // critical section
10: turn := 1;                       // give turn to P1
11: flag0 := 0;                      // retract P0's contention
  od
end;
process P1 begin
  while true do
12:
13: flag1 := 1;
14: while flag0 = 1 do
15:   if turn != 1 then
16:     flag1 := 0;
17:     while turn != 1 do
18:       skip;
        od;
19:     flag1 := 1;
      fi;
    od;
20: skip;
21: turn := 0;
22: flag1 := 0;
  od
end
forbid P0@9 & P1@20
`

func TestDekker(t *testing.T) {
	p := mustParse(t, dekker, nil)
	const want = `1=2: store flag0 <- 1 -> 3
3: load $1 <- flag1 -> q0
q0: check $1 == 1 -> 4
q0: check $1 != 1 -> 9
4: load $1 <- turn -> q1
q1: check $1 != 0 -> 5
q1: check $1 == 0 -> 3
5: store flag0 <- 0 -> 6
6: load $1 <- turn -> q2
q2: check $1 != 0 -> 7
q2: check $1 == 0 -> 8
7: skip -> 6
8: store flag0 <- 1 -> 3
9: skip -> 10
10: store turn <- 1 -> 11
11: store flag0 <- 0 -> 1
`
	if got := format(p, p.Threads[0]); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if len(p.Threads) != 2 || p.Name != "Dekker" || len(p.Memory) != 3 {
		t.Errorf("%d threads, name %s, %d cells", len(p.Threads), p.Name, len(p.Memory))
	}
	pr := p.Properties[0]
	if pr.Text != "forbid P0@9 & P1@20" || pr.Cond.String() != "P0@9 && P1@20" || place(pr.Pos) != "38:1" {
		t.Errorf("property %q, %v, %v", pr.Text, pr.Cond, pr.Pos)
	}
	if got := len(p.Threads[0].Regs); got != 1 || !p.Threads[0].Regs[0].Temp {
		t.Errorf("registers %+v", p.Threads[0].Regs)
	}
}

// The example of the package comment.
func TestPackageComment(t *testing.T) {
	p := mustParse(t, `program Handshake
	variables flag = data = 0
	process Writer begin data := 1; flag := 1 end
	process Reader
	  local r
	begin
	  await flag = 1;
	  r := data;
	  done: skip
	end
	forbid Reader@done & Reader.r = 0`, nil)
	const want = `q0: load $1 <- flag -> q1
q1: check $1 == 1 -> q2
q1: check $1 != 1 -> q0
q2: load r <- data -> done
done: skip -> end
end.
`
	if got := format(p, p.Threads[1]); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestDeclarations(t *testing.T) {
	p := mustParse(t, `program D;
const N = 2, M = N * 2 - 1; const K = (N = 2) + true
variables int8 x = y = -1, bool b[N] = true, a[M] = {1, 2, M}; int64 z, int16 last = N;
const L = 7
process P
  local int8 r = N, k, t[N];
  local u[2] = {N, -N}, bool f = true
begin
  local v = L;
end;
process Q[i in -1..M-2] local me = i, double = 2 * i begin end
`, nil)
	var got []string
	for _, c := range p.Memory {
		got = append(got, fmt.Sprintf("%d %s %v %d", c.Addr, c.Name, c.Type, c.Init))
	}
	for _, th := range p.Threads {
		got = append(got, th.Name)
		for _, r := range th.Regs {
			got = append(got, fmt.Sprintf("%s %v %d", r.Name, r.Type, r.Init))
		}
	}
	want := strings.Split(`0 x int8 -1
1 y int8 -1
2 b[0] bool 1
3 b[1] bool 1
4 a[0] int32 1
5 a[1] int32 2
6 a[2] int32 3
7 z int64 0
8 last int16 2
P
r int8 2
k int32 0
t[0] int32 0
t[1] int32 0
u[0] int32 2
u[1] int32 -2
f bool 1
v int32 7
Q[-1]
me int32 -1
double int32 -2
Q[0]
me int32 0
double int32 0
Q[1]
me int32 1
double int32 2`, "\n")
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s", strings.Join(got, "\n"))
	}
}

func TestDefines(t *testing.T) {
	const text = "program D const N = 2, M = 10 / N variables a[N] = M process P[i in 1..N] begin a[i-1] := i end"
	p := mustParse(t, text, map[string]int64{"N": 5})
	if len(p.Threads) != 5 || len(p.Memory) != 5 || p.Memory[4].Init != 2 {
		t.Errorf("%d threads, cells %+v", len(p.Threads), p.Memory)
	}
	// The value that is replaced does not count.
	mustParse(t, text, map[string]int64{"N": 1, "M": 3})
	mustParse(t, "program D const N = 1 / 0 process P begin end", map[string]int64{"N": 1})
}

func TestSourceText(t *testing.T) {
	mustParse(t, "\ufeffprogram B\r\nprocess P begin // comment without end\r\nend // and here", nil)
	mustParse(t, "program B /* über\n * \u00fc */ process P begin end /**/ forbid deadlock /***/", nil)
}
