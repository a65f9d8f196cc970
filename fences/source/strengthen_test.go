package source

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fencepost-verifier/fencepost/engine"
	"github.com/fencepost-verifier/fencepost/lang"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

func litmusTest(t *testing.T, text string) *program.Program {
	t.Helper()
	p, err := lang.Parse(&program.Source{Name: "test.litmus", Text: text}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

const (
	armMP = `AArch64 MP
{ 0:X1=x; 0:X3=y; 1:X1=y; 1:X3=x; }
 P0          | P1          ;
 MOV W0,#1   | LDR W0,[X1] ;
 STR W0,[X1] | LDR W2,[X3] ;
 STR W0,[X3] |             ;
exists (1:X0=1 /\ 1:X2=0)`
	armSwap = `AArch64 SB+swp
{ 0:X1=x; 0:X3=y; 1:X1=y; 1:X3=x; }
 P0              | P1              ;
 mov w0,#1       | mov w0,#1       ;
 swp w0,w4,[x1]  | swp w0,w4,[x1]  ;
 ldr w2,[x3]     | ldr w2,[x3]     ;
exists (0:X2=0 /\ 1:X2=0)`
	riscvSB = `RISCV SB
{ 0:x6=x; 0:x8=y; 1:x6=y; 1:x8=x; }
 P0          | P1          ;
 ori x5,x0,1 | ori x5,x0,1 ;
 sw x5,0(x6) | sw x5,0(x6) ;
 lw x7,0(x8) | lw x7,0(x8) ;
exists (0:x7=0 /\ 1:x7=0)`
	riscvMP = `RISCV MP
{ 0:x6=x; 0:x8=y; 1:x6=y; 1:x8=x; }
 P0          | P1          ;
 ori x5,x0,1 | lw x5,0(x6) ;
 sw x5,0(x6) | lw x7,0(x8) ;
 sw x5,0(x8) |             ;
exists (1:x5=1 /\ 1:x7=0)`
	powerMP = `PPC MP
{ 0:r2=x; 0:r4=y; 1:r2=y; 1:r4=x; }
 P0           | P1           ;
 li r1,1      | lwz r1,0(r2) ;
 stw r1,0(r2) | lwz r3,0(r4) ;
 stw r1,0(r4) |              ;
exists (1:r1=1 /\ 1:r3=0)`
	powerSB = `PPC SB
{ 0:r2=x; 0:r4=y; 1:r2=y; 1:r4=x; }
 P0           | P1           ;
 li r1,1      | li r1,1      ;
 stw r1,0(r2) | stw r1,0(r2) ;
 lwz r3,0(r4) | lwz r3,0(r4) ;
exists (0:r3=0 /\ 1:r3=0)`
	c11MP = `C MP
{ }
P0(atomic_int *x, atomic_int *y) {
  atomic_store_explicit(x, 1, memory_order_relaxed);
  atomic_store_explicit(y, 1, memory_order_relaxed);
}
P1(atomic_int *x, atomic_int *y) {
  int r0 = atomic_load_explicit(y, memory_order_relaxed);
  int r1 = atomic_load_explicit(x, memory_order_relaxed);
}
exists (1:r0=1 /\ 1:r1=0)`
	kernelMP = `C MP
{ }
P0(int *x, int *y) {
  WRITE_ONCE(*x, 1);
  WRITE_ONCE(*y, 1);
}
P1(int *x, int *y) {
  int r0; int r1;
  r0 = READ_ONCE(*y);
  if (r0)
    r1 = READ_ONCE(*x);
}
exists (1:r0=1 /\ 1:r1=0)`
	x86SB = `X86_64 SB
{ }
 P0           | P1           ;
 movl $1,(x)  | movl $1,(y)  ;
 movl (y),%eax | movl (x),%eax ;
exists (0:rax=0 /\ 1:rax=0)`
)

// The load can wait to be in order until the loop is over.
const armWait = `AArch64 wait
{ 0:X1=x; 0:X2=y; 1:X1=x; 1:X2=y; }
 P0          | P1             ;
 MOV W0,#1   | LC:            ;
 STR W0,[X1] | LDR W0,[X2]    ;
 STR W0,[X2] | CBZ W0,LC      ;
             | LDR W3,[X1]    ;
exists (1:X3=0)
`

// So it can in C, whether the load is in the condition of the loop or in its body.
const (
	kernelWait = `C wait
{ }
P0(int *x, int *y) {
  WRITE_ONCE(*x, 1);
  WRITE_ONCE(*y, 1);
}
P1(int *x, int *y) {
  int r1;
  while (READ_ONCE(*y) == 0)
    ;
  r1 = READ_ONCE(*x);
}
exists (1:r1=0)`
	kernelPoll = `C poll
{ }
P0(int *x, int *y) {
  WRITE_ONCE(*x, 1);
  WRITE_ONCE(*y, 1);
}
P1(int *x, int *y) {
  int r0 = 0; int r1;
  while (r0 == 0)
    r0 = READ_ONCE(*y);
  r1 = READ_ONCE(*x);
}
exists (1:r1=0)`
)

// What is found for the tests that everybody knows.
func TestStrengthen(t *testing.T) {
	tests := []struct {
		name, text string
		costs      map[string]int
		cost, sets int
		want       string // of the cheapest set
	}{
		{"MP on Arm", armMP, nil, 3, 4, "LDAPR at 4, STLR at 6"},
		{"with dear loads", armMP, map[string]int{"ldapr": 10, "LDAR": 10}, 6, 4, "DMB ISHLD at 4, STLR at 6"},
		{"RCsc", armSwap, nil, 8, 9, "swpl at 5, swpl at 5, ldar at 6, ldar at 6"},
		{"SB on RISC-V", riscvSB, nil, 12, 1, "fence w,r at 5, fence w,r at 5"},
		{"after a loop", armWait, nil, 6, 6, "STLR at 6, DMB ISHLD at 6"},
		{"after a loop in C", kernelWait, nil, 5, 4, "smp_store_release at 5, smp_rmb() at 11"},
		{"after a loop that asks a register", kernelPoll, nil, 5, 4, "smp_store_release at 5, smp_rmb() at 11"},
		{"MP on RISC-V", riscvMP, nil, 4, 1, "fence r,r at 4, fence w,w at 5"},
		{"MP on Power", powerMP, nil, 5, 1, "lwsync at 4, eieio at 5"},
		{"SB on Power", powerSB, nil, 16, 1, "sync at 5, sync at 5"},
		{"MP in C", c11MP, nil, 2, 4, "memory_order_release at 5, memory_order_acquire at 8"},
		{"MP in the kernel", kernelMP, nil, 4, 4, "smp_store_release at 5, smp_load_acquire at 9"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := litmusTest(t, tt.text)
			r, err := Find(context.Background(), p, Options{Goal: verdict.Safety, All: true, Costs: tt.costs})
			if err != nil {
				t.Fatal(err)
			}
			if !r.Verified() || !r.Complete || len(r.Sets) == 0 {
				t.Fatalf("verified %v, complete %v, %d sets: %s", r.Verified(), r.Complete, len(r.Sets), r.Reason)
			}
			var got []string
			for _, f := range r.Sets[0].Fences {
				got = append(got, fmt.Sprintf("%s at %d", f.What, f.Site.Pos.Line))
				if f.Without == nil {
					t.Errorf("it is not said what %s is for", f.What)
				}
			}
			if s := strings.Join(got, ", "); s != tt.want || r.Sets[0].Cost != tt.cost || len(r.Sets) != tt.sets {
				t.Errorf("%s, cost %d, %d sets; want %s, %d, %d\n%v", s, r.Sets[0].Cost, len(r.Sets), tt.want, tt.cost, tt.sets, r.Sets)
			}
		})
	}
}

// Whatever can be chosen is tried, and what is minimal among what helps is what is found.
func TestStrengthenAgainstAll(t *testing.T) {
	if testing.Short() {
		t.Skip("thousands of checks")
	}
	for name, text := range map[string]string{"armMP": armMP, "riscvSB": riscvSB, "powerMP": powerMP, "kernelMP": kernelMP, "kernelWait": kernelWait, "kernelPoll": kernelPoll} {
		t.Run(name, func(t *testing.T) {
			p := litmusTest(t, text)
			r, err := Find(context.Background(), p, Options{Goal: verdict.Safety, All: true})
			if err != nil {
				t.Fatal(err)
			}
			list, err := lang.Strengthenings(p)
			if err != nil {
				t.Fatal(err)
			}
			x := &repairer{p: p, opts: Options{Goal: verdict.Safety}, res: &verdict.FenceResult{}}
			x.opts.Model, x.opts.Engine = r.Model, engine.BMC
			x.strengthenings(list)
			all := [][]int{{}}
			for i := range list {
				for _, s := range all {
					if !slices.ContainsFunc(s, func(j int) bool { return list[j].Place == list[i].Place }) {
						all = append(all, append(slices.Clone(s), i))
					}
				}
			}
			var reached [][]int
			for _, s := range all {
				e, _, err := x.strengthened(context.Background(), s)
				if err != nil {
					t.Fatal(err)
				}
				if e.Verdict() == verdict.IsSafe {
					reached = append(reached, s)
				}
			}
			weaker := func(a, b []int) bool {
				return !slices.ContainsFunc(a, func(i int) bool {
					return !slices.ContainsFunc(b, func(j int) bool { return list[i].Place == list[j].Place && list[i].Orders&^list[j].Orders == 0 })
				})
			}
			var want []string
			for _, s := range reached {
				if !slices.ContainsFunc(reached, func(o []int) bool { return !slices.Equal(o, s) && weaker(o, s) }) {
					want = append(want, fmt.Sprint(x.set(s).Fences))
				}
			}
			var got []string
			for _, s := range r.Sets {
				for i := range s.Fences {
					s.Fences[i].Cost, s.Fences[i].Without = 0, nil
				}
				got = append(got, fmt.Sprint(s.Fences))
			}
			slices.Sort(want)
			slices.Sort(got)
			if !slices.Equal(got, want) {
				t.Errorf("found\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		})
	}
}

// What cannot be done is said.
func TestStrengthenRefusals(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		opts       Options
		want       string
	}{
		{"robustness", armMP, Options{}, "under tso only"},
		{"no condition", strings.Split(armMP, "exists")[0], Options{Goal: verdict.Safety}, "no condition"},
		{"redundant", armMP, Options{Goal: verdict.Safety, Redundant: true}, "under tso only"},
		{"exchanges", armMP, Options{Goal: verdict.Safety, Means: verdict.Xchg}, "under tso only"},
		{"cost", armMP, Options{Goal: verdict.Safety, Costs: map[string]int{"DMB IS": 3}}, "did you mean DMB ISH?"},
		{"a distance", strings.Replace(armMP, "STR ", "B .+4 | ;\n STR ", 1), Options{Goal: verdict.Safety}, "how far the jump goes"},
		{"cost under tso", x86SB, Options{Goal: verdict.Safety, Costs: map[string]int{"mfence": 3}}, "costs of their own"},
	} {
		_, err := Find(context.Background(), litmusTest(t, tt.text), tt.opts)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
}

// An outcome that is there under SC is one that no fence forbids, and neither is one where
// what is missing is an instruction.
func TestStrengthenInVain(t *testing.T) {
	p := litmusTest(t, strings.Replace(armMP, "1:X0=1", "1:X0=0", 1))
	r, err := Find(context.Background(), p, Options{Goal: verdict.Safety})
	if err != nil || r.Wrong == nil {
		t.Errorf("%v, %v", r, err)
	}
}

// TestPatience has a test with a loop that no bound on its rounds has an end for: who has set no
// limit is told so.
func TestPatience(t *testing.T) {
	old := patience
	patience = 50 * time.Millisecond
	t.Cleanup(func() { patience = old })
	p := litmusTest(t, `C MP+count
{}
P0(int *x, int *y) {
  WRITE_ONCE(*x, 1);
  WRITE_ONCE(*y, 1);
}
P1(int *x, int *y) {
  int r0 = 0;
  int r1 = 0;
  while (r0 == 0) {
    r0 = READ_ONCE(*y);
    r1 = r1 + 1;
  }
  int r2 = READ_ONCE(*x);
}
exists (1:r1=1 /\ 1:r2=0)`)
	for _, all := range []bool{false, true} {
		r, err := Find(context.Background(), p, Options{Goal: verdict.Safety, All: all})
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Sets) > 0 || r.Complete || r.Impossible || !strings.Contains(r.Reason, "the limit of") {
			t.Errorf("%d sets, complete %v, impossible %v: %s", len(r.Sets), r.Complete, r.Impossible, r.Reason)
		}
	}
}
