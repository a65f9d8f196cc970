package litmus_test

import (
	"context"
	"testing"

	"github.com/fencepost-verifier/fencepost/explore/graphs"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// TestThreadJumps has loops that try a store-exclusive again, which need not go round.
func TestThreadJumps(t *testing.T) {
	for _, text := range []string{
		`PPC again
{ 0:r2=x; 1:r2=x; }
 P0              | P1           ;
 li r1,1         | li r1,2      ;
 Loop:           | stw r1,0(r2) ;
 lwarx r3,r0,r2  |              ;
 stwcx. r1,r0,r2 |              ;
 bne Loop        |              ;
exists ([x]=2 /\ 0:r3=0)`,
		`AArch64 again
{ 0:X2=x; 1:X2=x; }
 P0              | P1          ;
 MOV W1,#1       | MOV W1,#2   ;
 Loop:           | STR W1,[X2] ;
 LDXR W3,[X2]    |             ;
 STXR W4,W1,[X2] |             ;
 CBNZ W4,Loop    |             ;
exists ([x]=2 /\ 0:X3=0)`,
		`AArch64 again
{ 0:X2=x; 1:X2=x; }
 P0              | P1          ;
 MOV W1,#1       | MOV W1,#2   ;
 Loop:           | STR W1,[X2] ;
 LDXR W3,[X2]    |             ;
 STXR W4,W1,[X2] |             ;
 CMP W4,#0       |             ;
 B.NE Loop       |             ;
exists ([x]=2 /\ 0:X3=0)`,
		`RISCV again
{ 0:x6=x; 1:x6=x; }
 P0             | P1           ;
 ori x5,x0,1    | ori x5,x0,2  ;
 Loop:          | sw x5,0(x6)  ;
 lr.w x7,0(x6)  |              ;
 sc.w x8,x5,0(x6) |            ;
 bne x8,x0,Loop |              ;
exists ([x]=2 /\ 0:x7=0)`,
		`C polled
{ }
P0(int *x) { WRITE_ONCE(*x, 1); }
P1(int *x, int *y) {
  int r0 = 0; int r1;
  while (r0 == 0)
    r0 = READ_ONCE(*x);
  r1 = xchg(y, 1);
}
P2(int *y) { WRITE_ONCE(*y, 1); }
exists (1:r1=0)`,
	} {
		test, err := parse(text)
		if err != nil {
			t.Fatal(err)
		}
		def, err := memory.LoadFor(memory.Default(test.Program.Arch), test.Program.Arch)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		finals, err := graphs.FinalStates(context.Background(), test.Program, def, graphs.Options{}, func(*memory.Graph, verdict.FinalState) bool { n++; return true })
		if err != nil || n != 2 {
			t.Errorf("%v, %d executions\n%s", err, n, text)
		}
		if o := test.Outcome(finals); len(o.States) != 2 {
			t.Errorf("%v\n%s", o.States, text)
		}
	}
}
