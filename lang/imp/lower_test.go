package imp

import (
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/program"
)

// lowered are bodies of a process and the automata that they become.
var lowered = []struct{ body, want string }{
	{`skip`, `
end.
`},
	{`x := 1`, `
q0: store x <- 1 -> end
end.
`},
	{`r := x`, `
q0: load r <- x -> end
end.
`},
	{`f := x`, `
q0: load $1 <- x -> q1
q1: f <- $1 != 0 -> end
end.
`},
	{`f := b`, `
q0: load f <- b -> end
end.
`},
	{`x := x + y * x`, `
q0: load $1 <- x -> q1
q1: load $2 <- y -> q2
q2: load $3 <- x -> q3
q3: store x <- $1 + ($2 * $3) -> end
end.
`},
	{`b := r; b := r = 1; b := f; f := f & b; f := true`, `
q0: store b <- r != 0 -> q1
q1: store b <- r == 1 -> q2
q2: store b <- f -> q3
q3: load $1 <- b -> q4
q4: f <- f & $1 -> q5
q5: f <- 1 -> end
end.
`},
	{`n := x; s := n; k := s`, `
q0: load n <- x -> q1
q1: store s <- n -> q2
q2: load k <- s -> end
end.
`},
	{`a[2] := a[r]; a[r+1] := a[x]; a[a[r]] := 1`, `
q0: assert (0 <= r) && (r < 4) -> q1
q1: load $1 <- [3 + r] -> q2
q2: store a[2] <- $1 -> q3
q3: $2 <- r + 1 -> q4
q4: assert (0 <= $2) && ($2 < 4) -> q5
q5: load $1 <- x -> q6
q6: assert (0 <= $1) && ($1 < 4) -> q7
q7: load $3 <- [3 + $1] -> q8
q8: store [3 + $2] <- $3 -> q9
q9: assert (0 <= r) && (r < 4) -> q10
q10: load $1 <- [3 + r] -> q11
q11: assert (0 <= $1) && ($1 < 4) -> q12
q12: store [3 + $1] <- 1 -> end
end.
`},
	{`a[f] := 1; k := t[1] + t[0]; t[1] := 3`, `
q0: store [3 + f] <- 1 -> q1
q1: k <- t[1] + t[0] -> q2
q2: t[1] <- 3 -> end
end.
`},
	{`k := r / x; k := r % 3; k := r / (r - 1)`, `
q0: load $1 <- x -> q1
q1: assert $1 != 0 -> q2
q2: k <- r / $1 -> q3
q3: k <- r % 3 -> q4
q4: assert (r - 1) != 0 -> q5
q5: k <- r / (r - 1) -> end
end.
`},
	{`if r < 4 and a[r] = 1 then k := 1 fi`, `
q0: assert (r >= 4) || ((0 <= r) && (r < 4)) -> q1
q1: load $1 <- [3 + (((r % 4) + 4) % 4)] -> q2
q2: check (r < 4) && ($1 == 1) -> q3
q2: check !((r < 4) && ($1 == 1)) -> end
q3: k <- 1 -> end
end.
`},
	{`if 0 <= r and r < 4 and a[r] = 1 then k := 1 fi`, `
q0: load $1 <- [3 + (((r % 4) + 4) % 4)] -> q1
q1: check ((0 <= r) && (r < 4)) && ($1 == 1) -> q2
q1: check !(((0 <= r) && (r < 4)) && ($1 == 1)) -> end
q2: k <- 1 -> end
end.
`},
	{`if r = 0 or 8 / r > 2 then k := 1 else k := 2 fi`, `
q0: check (r == 0) || ((8 / r) > 2) -> q1
q0: check !((r == 0) || ((8 / r) > 2)) -> q2
q1: k <- 1 -> end
end.
q2: k <- 2 -> end
`},
	{`while r >= 4 or a[r+1] = 0 and b do r := r + 1 od`, `
q0: $1 <- r + 1 -> q1
q1: assert (r >= 4) || ((0 <= $1) && ($1 < 4)) -> q2
q2: load $2 <- [3 + ((($1 % 4) + 4) % 4)] -> q3
q3: load $3 <- b -> q4
q4: check (r >= 4) || (($2 == 0) && $3) -> q5
q4: check !((r >= 4) || (($2 == 0) && $3)) -> end
q5: r <- r + 1 -> q0
end.
`},
	{`if false and 1 / 0 = 1 or true and x = 1 then k := 1 fi`, `
q0: load $1 <- x -> q1
q1: check $1 == 1 -> q2
q1: check $1 != 1 -> end
q2: k <- 1 -> end
end.
`},
	{`if x = 1 then y := 1 elif x = 2 then y := 2 else y := 3 fi; s := 1`, `
q0: load $1 <- x -> q1
q1: check $1 == 1 -> q2
q1: check $1 != 1 -> q4
q2: store y <- 1 -> q3
q3: store s <- 1 -> end
end.
q4: load $1 <- x -> q5
q5: check $1 == 2 -> q6
q5: check $1 != 2 -> q7
q6: store y <- 2 -> q3
q7: store y <- 3 -> q3
`},
	{`if x = 1 then skip fi; if r = 1 then skip fi; if true then x := 1 fi; if false then x := 2 else x := 3 fi`, `
q0: load $1 <- x -> q1
q1: store x <- 1 -> q2
q2: store x <- 3 -> end
end.
`},
	{`if false then a[7] := 1 / 0 fi; while false do a[7] := 1 od`, `
end.
`},
	{`while true do skip od`, `
q0: skip -> q0
`},
	{`while true do x := 1; y := 1 od; x := 5`, `
q0: store x <- 1 -> q1
q1: store y <- 1 -> q0
`},
	{`while x = 1 do skip od; while r = 1 do skip od; while x = 1 do l: skip od`, `
q0: load $1 <- x -> q1
q1: check $1 == 1 -> q0
q1: check $1 != 1 -> q2
q2: check r == 1 -> q2
q2: check r != 1 -> q3
q3: load $1 <- x -> q4
q4: check $1 == 1 -> l
q4: check $1 != 1 -> end
l: skip -> q3
end.
`},
	{`for k := 1 to r do x := k od`, `
q0: k <- 1 -> q1
q1: check k <= r -> q2
q1: check k > r -> end
q2: store x <- k -> q3
q3: k <- k + 1 -> q1
end.
`},
	{`await x = 1; await r = 1; await true; await not b; await cas(x, 0, 1)`, `
q0: load $2 <- x -> q1
q1: check $2 == 1 -> q2
q1: check $2 != 1 -> q0
q2: check r == 1 -> q3
q3: load $1 <- b -> q4
q4: check !$1 -> q5
q4: check $1 -> q3
q5: cas { load $2 <- x; check $2 == 0; store x <- 1; $1 <- 1 } -> end
q5: cas { load $2 <- x; check $2 != 0; $1 <- 0 } -> q5
end.
`},
	{`assume x = 1; assume r = 1; assume true; x := 1; assume false; x := 2`, `
q0: load $1 <- x -> q1
q1: check $1 == 1 -> q2
q2: check r == 1 -> q3
q3: store x <- 1 -> q4
q4: check 0 -> q4
`},
	{`assert x = 1; assert r != 0; assert true; assert false`, `
q0: load $1 <- x -> q1
q1: assert $1 == 1 -> q2
q2: assert r != 0 -> q3
q3: assert 0 -> end
end.
`},
	{`choose x := 1 [] y := 1; x := 2 [] skip [] r := any(1..3) end; k := 1`, `
q0: store x <- 1 -> q1
q0: store y <- 1 -> q2
q0: skip -> q1
q0: r <- any 1..3 -> q1
q1: k <- 1 -> end
end.
q2: store x <- 2 -> q1
`},
	{`choose l1: x := 1 [] l2: skip [] goto l3 [] skip [] l4: goto l3 end; l3: skip`, `
q0: skip -> l1
q0: skip -> l2
q0: skip -> l3
q0: skip -> l4
l1: store x <- 1 -> l3
l3: skip -> end
end.
l2: skip -> l3
l4: skip -> l3
`},
	{`choose while x = 1 do skip od [] while r = 1 do skip od; x := 1 [] if r = 1 then x := 1 fi [] choose x := 5 [] x := 6 end end`, `
q0: skip -> q1
q0: skip -> q3
q0: check r == 1 -> q5
q0: check r != 1 -> end
q0: store x <- 5 -> end
q0: store x <- 6 -> end
q1: load $1 <- x -> q2
q2: check $1 == 1 -> q1
q2: check $1 != 1 -> end
end.
q3: check r == 1 -> q3
q3: check r != 1 -> q4
q4: store x <- 1 -> end
q5: store x <- 1 -> end
`},
	{`choose while true do x := 1; goto l od [] x := 2 end; l: skip`, `
q0: store x <- 1 -> l
q0: store x <- 2 -> l
l: skip -> end
end.
`},
	{`lock; x := x + 1; unlock; fence`, `
q0: lock -> q1
q1: load $1 <- x -> q2
q2: store x <- $1 + 1 -> q3
q3: unlock -> q4
q4: fence -> end
end.
`},
	{`atomic begin x := x + 1 end`, `
q0: atomic { load $1 <- x; store x <- $1 + 1 } -> end
end.
`},
	{`atomic begin if x = 0 then x := 1; r := 1 elif x = 1 then r := 2 else choose r := 3 [] skip [] r := any(0..1) end fi; assert r > 0 end`, `
q0: atomic { load $1 <- x; check $1 == 0; store x <- 1; r <- 1; assert r > 0 } -> end
q0: atomic { load $1 <- x; check $1 != 0; load $1 <- x; check $1 == 1; r <- 2; assert r > 0 } -> end
q0: atomic { load $1 <- x; check $1 != 0; load $1 <- x; check $1 != 1; r <- 3; assert r > 0 } -> end
q0: atomic { load $1 <- x; check $1 != 0; load $1 <- x; check $1 != 1; assert r > 0 } -> end
q0: atomic { load $1 <- x; check $1 != 0; load $1 <- x; check $1 != 1; r <- any 0..1; assert r > 0 } -> end
end.
`},
	{`atomic begin r := cas(x, 0, 1); assume r = 1; a[r] := 5 / r end`, `
q0: atomic { load $1 <- x; check $1 == 0; store x <- 1; r <- 1; check r == 1; assert (0 <= r) && (r < 4); assert r != 0; store [3 + r] <- 5 / r } -> end
q0: atomic { load $1 <- x; check $1 != 0; r <- 0; check r == 1; assert (0 <= r) && (r < 4); assert r != 0; store [3 + r] <- 5 / r } -> end
end.
`},
	{`atomic begin if 1 = 2 then x := 1 fi end; atomic begin if not f then skip fi end; atomic begin assume false end`, `
q0: atomic { skip } -> q1
q1: atomic { check !f } -> q2
q1: atomic { check f } -> q2
q2: check 0 -> q2
`},
	{`r := cas(x, 0, 1); r := cas(x, r, 1); cas(a[r], 0, x); f := cas(b, false, k); b := cas(x, 1, 2)`, `
q0: cas { load $2 <- x; check $2 == 0; store x <- 1; r <- 1 } -> q1
q0: cas { load $2 <- x; check $2 != 0; r <- 0 } -> q1
q1: cas { load $2 <- x; check $2 == r; store x <- 1; $1 <- 1 } -> q2
q1: cas { load $2 <- x; check $2 != r; $1 <- 0 } -> q2
q2: r <- $1 -> q3
q3: assert (0 <= r) && (r < 4) -> q4
q4: load $2 <- x -> q5
q5: cas { load $3 <- [3 + r]; check $3 == 0; store [3 + r] <- $2; $1 <- 1 } -> q6
q5: cas { load $3 <- [3 + r]; check $3 != 0; $1 <- 0 } -> q6
q6: cas { load $1 <- b; check $1 == 0; store b <- k != 0; f <- 1 } -> q7
q6: cas { load $1 <- b; check $1 != 0; f <- 0 } -> q7
q7: cas { load $2 <- x; check $2 == 1; store x <- 2; $1 <- 1 } -> q8
q7: cas { load $2 <- x; check $2 != 1; $1 <- 0 } -> q8
q8: store b <- $1 -> end
end.
`},
	{`r := xchg(x, 1); r := xchg(x, r); xchg(b, 5 = r); n := xchg(x, 2); f := xchg(x, 2); r := xchg(s, 1)`, `
q0: xchg { load r <- x; store x <- 1 } -> q1
q1: xchg { load $1 <- x; store x <- r } -> q2
q2: r <- $1 -> q3
q3: xchg { load $2 <- b; store b <- 5 == r } -> q4
q4: xchg { load $1 <- x; store x <- 2 } -> q5
q5: n <- $1 -> q6
q6: xchg { load $1 <- x; store x <- 2 } -> q7
q7: f <- $1 != 0 -> q8
q8: xchg { load r <- s; store s <- 1 } -> end
end.
`},
	{`r := fetch_add(x, 1); n := fetch_add(x, 1); r := fetch_add(s, -1); fetch_add(x, r); r := fetch_add(x, r)`, `
q0: fetch_add { load r <- x; store x <- r + 1 } -> q1
q1: fetch_add { load $1 <- x; store x <- $1 + 1 } -> q2
q2: n <- $1 -> q3
q3: fetch_add { load r <- s; store s <- r + -1 } -> q4
q4: fetch_add { load $1 <- x; store x <- $1 + r } -> q5
q5: fetch_add { load $1 <- x; store x <- $1 + r } -> q6
q6: r <- $1 -> end
end.
`},
	{`x := any(0..1); b := any(0..1); f := any(0..1); x := any(-5..5) + any(0..5000000000)`, `
q0: $3 <- any 0..1 -> q1
q1: store x <- $3 -> q2
q2: $3 <- any 0..1 -> q3
q3: store b <- $3 -> q4
q4: f <- any 0..1 -> q5
q5: $1 <- any -5..5 -> q6
q6: $2 <- any 0..5000000000 -> q7
q7: store x <- $1 + $2 -> end
end.
`},
	{`m: goto m`, `
m: skip -> m
`},
	{`p: goto q; q: goto p`, `
p: skip -> q
q: skip -> p
`},
	{`if r = 1 then m: goto l fi; x := 1; l: skip`, `
q0: check r == 1 -> m
q0: check r != 1 -> q1
m: skip -> l
l: skip -> end
end.
q1: store x <- 1 -> l
`},
	{`1: 2: while true do 3: x := 1; 4: if b then 5: goto 6 fi od; 6: skip`, `
1=2=3: store x <- 1 -> 4
4: load $1 <- b -> q0
q0: check $1 -> 5
q0: check !$1 -> 1
5: skip -> 6
6: skip -> end
end.
`},
	{`goto l; if false then l: x := 1; m: x := 2 fi; x := 3`, `
l: store x <- 1 -> m
m: store x <- 2 -> q0
q0: store x <- 3 -> end
end.
`},
	{`x := -r + ~k - !r; r := not (x = 1) ; r := -9223372036854775808 + k; k := 0x1F + 0b11 + 1_000`, `
q0: store x <- (-r + ~k) - !r -> q1
q1: load $1 <- x -> q2
q2: r <- $1 != 1 -> q3
q3: r <- -9223372036854775808 + k -> q4
q4: k <- 1034 -> end
end.
`},
	{`r := (x = 1 and true) + (x = 2 and false) + (r or false) + (true or y = 1) + (f and true)`, `
q0: load $1 <- x -> q1
q1: load $2 <- x -> q2
q2: r <- (((($1 == 1) + 0) + (r != 0)) + 1) + f -> end
end.
`},
	{`m: if x = 1 then skip fi; m2: if r = 1 then skip fi; m3: skip; m4: if true then m5: x := 1 fi`, `
m: load $1 <- x -> m2
m2: skip -> m3
m3: skip -> m4
m4=m5: store x <- 1 -> end
end.
`},
	{`if x = 1 then x := 2 else while true do x := 3 od fi; y := 1`, `
q0: load $1 <- x -> q1
q1: check $1 == 1 -> q2
q1: check $1 != 1 -> q4
q2: store x <- 2 -> q3
q3: store y <- 1 -> end
end.
q4: store x <- 3 -> q4
`},
	{`if r = 1 then l: x := 1 else goto l fi; m: if r = 2 then k: x := 2 else goto k fi`, `
l: store x <- 1 -> m
m: skip -> k
k: store x <- 2 -> end
end.
`},
	{`m: choose x := 1 [] y := 1 end; q1: skip; x := 2`, `
m: store x <- 1 -> q1
m: store y <- 1 -> q1
q1: skip -> q0
q0: store x <- 2 -> end
end.
`},
	{`while x = 1 or true do y := 1 od`, `
q0: load $1 <- x -> q1
q1: store y <- 1 -> q0
`},
	{`choose x := 1 end; choose skip [] skip end; choose skip end`, `
q0: store x <- 1 -> end
end.
`},
}

// declared is what the bodies of lowered can use.
const declared = "program T variables x, y, bool b, a[4], int8 s\n" +
	"process P local r, k, bool f, t[2], int8 n begin\n"

func TestLower(t *testing.T) {
	for _, c := range lowered {
		t.Run(c.body, func(t *testing.T) {
			p := mustParse(t, declared+c.body+"\nend", nil)
			if got, want := format(p, p.Threads[0]), strings.TrimPrefix(c.want, "\n"); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// The places that reports show: of the statement or the condition on edges and
// states, of the construct on commands.
func TestPositions(t *testing.T) {
	p := mustParse(t, `program T
variables x, a[2]
process P
  local r
begin
  r := 1 /
    x;
  while a[r] = 0 do
    x := 1;
  od;
  if x = 1 then
    assert x =
      2
  fi
end
`, nil)
	th := p.Threads[0]
	var got []string
	for _, e := range th.Edges {
		got = append(got, e.Cmd.Format(p, th)+" "+place(th.States[e.From].Pos)+" "+place(e.Pos)+" "+place(e.Cmd.Pos)+" "+e.Cmd.Text)
	}
	want := strings.Split(strings.TrimSpace(`
load $1 <- x 6:3 6:3 7:5 
assert $1 != 0 6:3 6:3 6:10 division by zero
r <- 1 / $1 6:3 6:3 6:3 
assert (0 <= r) && (r < 2) 8:9 8:9 8:11 index outside a[2]
load $1 <- [1 + r] 8:9 8:9 8:9 
check $1 == 0 8:9 8:9 8:9 
check $1 != 0 8:9 8:9 8:9 
store x <- 1 9:5 9:5 9:5 
load $1 <- x 11:6 11:6 11:6 
check $1 == 1 11:6 11:6 11:6 
check $1 != 1 11:6 11:6 11:6 
load $1 <- x 12:5 12:5 12:12 
assert $1 == 2 12:5 12:5 12:5 assert x = 2`), "\n")
	for i, w := range want {
		if i >= len(got) || strings.TrimSpace(got[i]) != strings.TrimSpace(w) {
			t.Fatalf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

func TestKinds(t *testing.T) {
	p := mustParse(t, "program T variables x process P local r begin assert x = 1; r := r / x end", nil)
	var kinds []program.AssertKind
	for _, e := range p.Threads[0].Edges {
		if e.Cmd.Op == program.Assert {
			kinds = append(kinds, e.Cmd.Kind)
		}
	}
	if len(kinds) != 2 || kinds[0] != program.Assertion || kinds[1] != program.Fault {
		t.Errorf("kinds %v", kinds)
	}
}
