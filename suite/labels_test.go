package suite

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/engine"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// TestAddressesOfLabels: jumps and calls through registers go to the labels whose addresses these
// hold, and what comes after depends on what the address comes from.
func TestAddressesOfLabels(t *testing.T) {
	for name, tt := range map[string]struct{ text, states string }{
		"called": {`AArch64 called
{ 0:X0=x; 0:X1=y; 0:X9=P0:L1; 1:X0=x; 1:X1=y; }
 P0 | P1 ;
 MOV W2,#1 | LDR W2,[X1] ;
 STR W2,[X0] | LDR W3,[X0] ;
 BLR X9 | ;
 STR W2,[X1] | ;
 B L2 | ;
L1: | ;
 MOV W2,#3 | ;
 RET | ;
L2: | ;
locations [1:X2; 1:X3; 0:X30;]
exists (1:X2=1 /\ 1:X3=0)`, `0:X30=10012; 1:X2=0; 1:X3=0;|0:X30=10012; 1:X2=0; 1:X3=1;|0:X30=10012; 1:X2=3; 1:X3=0;|0:X30=10012; 1:X2=3; 1:X3=1;`},
		"computed": {`AArch64 computed
{ 0:X0=x; 0:X1=y; 0:X9=P0:L1; 0:X8=P0:L2; 1:X0=x; 1:X1=y; }
 P0 | P1 ;
 LDR W2,[X0] | MOV W2,#1 ;
 CMP W2,#1 | STR W2,[X1] ;
 CSEL X7,X8,X9,EQ | STR W2,[X0] ;
 BR X7 | ;
L1: | ;
 MOV W4,#7 | ;
 B L3 | ;
L2: | ;
 LDR W4,[X1] | ;
L3: | ;
locations [0:X4;]
exists (0:X2=1 /\ 0:X4=0)`, `0:X2=0; 0:X4=7;|0:X2=1; 0:X4=0;|0:X2=1; 0:X4=1;`},
		"behind-a-barrier": {`AArch64 behind-a-barrier
{ 0:X0=x; 0:X1=y; 0:X9=P0:L1; 0:X8=P0:L2; 1:X0=x; 1:X1=y; }
 P0 | P1 ;
 LDR W2,[X0] | MOV W2,#1 ;
 CMP W2,#1 | STR W2,[X1] ;
 CSEL X7,X8,X9,EQ | STR W2,[X0] ;
 BR X7 | ;
L1: | ;
 MOV W4,#7 | ;
 B L3 | ;
L2: | ;
 ISB | ;
 LDR W4,[X1] | ;
L3: | ;
locations [0:X4;]
exists (0:X2=1 /\ 0:X4=0)`, `0:X2=0; 0:X4=7;|0:X2=1; 0:X4=0;|0:X2=1; 0:X4=1;`},
		"from-memory": {`AArch64 from-memory
{ x=P0:L1; 0:X0=x; 0:X1=y; 1:X0=x; 1:X5=P0:L2; int64_t y=0; }
 P0 | P1 ;
 LDR X7,[X0] | STR X5,[X0] ;
 BR X7 | ;
L1: | ;
 MOV W4,#7 | ;
 B L3 | ;
L2: | ;
 MOV W4,#8 | ;
L3: | ;
locations [0:X4; 0:X7; x;]
exists (0:X4=8)`, `0:X4=7; 0:X7=label:"P0:L1"; [x]=label:"P0:L2";|0:X4=8; 0:X7=label:"P0:L2"; [x]=label:"P0:L2";`},
		"back": {`AArch64 back
{ 0:X0=x; 0:X1=y; 1:X0=x; 1:X1=y; x=0; 0:X8=P0:L1; }
 P0 | P1 ;
L0: | MOV W2,#1 ;
 ADR X9,L0 | STR W2,[X1] ;
 ADR X8,L1 | STR W2,[X0] ;
 LDR W2,[X0] | ;
 CMP W2,#1 | ;
 CSEL X7,X8,X9,EQ | ;
 BR X7 | ;
L1: | ;
 LDR W3,[X1] | ;
locations [0:X2; 0:X3; 0:X7;]
exists (0:X2=1 /\ 0:X3=0)`, `0:X2=1; 0:X3=0; 0:X7=label:"P0:L1";|0:X2=1; 0:X3=1; 0:X7=label:"P0:L1";`},
		"return-address": {`AArch64 return-address
{ 0:X0=x; 1:X9=P1:L3; }
 P0 | P1 ;
 BL L1 | NOP ;
 NOP | BLR X9 ;
L1: | L3: ;
 MOV W3,#1 | MOV W3,#1 ;
L4: | CMP X30,X9;
 | CSET W1,EQ;
locations [0:X30; 1:X30; 1:X1; 1:X3; 1:X9;]
exists (1:X9=label:"P1:L3")`, `0:X30=10004; 1:X1=1; 1:X3=1; 1:X9=label:"P1:L3"; 1:X30=label:"P1:L3";`},
		// Code of another thread is executed like one's own, and ends the thread where its column ends.
		"elsewhere": {`AArch64 elsewhere
{ 0:X0=x; 0:X9=P1:L1; 1:X0=x; }
 P0 | P1 ;
 MOV W2,#1 | B L2 ;
 BLR X9 | L1: ;
 STR W3,[X0] | ADD W3,W2,#4 ;
 | RET ;
 | L2: ;
 | LDR W4,[X0] ;
locations [0:X3; 1:X3; 0:X4; 1:X4; 0:X30;]
exists (1:X4=5)`, `0:X3=5; 0:X4=0; 0:X30=10008; 1:X3=0; 1:X4=0;|0:X3=5; 0:X4=0; 0:X30=10008; 1:X3=0; 1:X4=5;`},
		"not-back": {`AArch64 not-back
{ 0:X0=x; 0:X9=P1:L2; 1:X0=x; 1:X8=P0:L0; }
 P0 | P1 ;
 MOV W2,#1 | MOV W3,#2 ;
 STR W2,[X0] | BR X8 ;
 BR X9 | L2: ;
L0: | BL L3 ;
 LDR W4,[X0] | MOV W5,#5 ;
 | L3: ;
locations [0:X2; 0:X4; 0:X5; 0:X30; 1:X3; 1:X4; 1:X5;]
exists (1:X4=1)`, `0:X2=1; 0:X4=0; 0:X5=0; 0:X30=20012; 1:X3=2; 1:X4=0; 1:X5=0;|0:X2=1; 0:X4=0; 0:X5=0; 0:X30=20012; 1:X3=2; 1:X4=1; 1:X5=0;`},
		"two-threads": {`AArch64 two-threads
{ 0:X0=x;  }
 P0 | P1 ;
 BL L1 | NOP ;
 NOP | BL L3 ;
 | NOP ;
L1: | L3: ;
 MOV W3,#1 | MOV W3,#1 ;
L4: | NOP;
 | NOP;
locations [0:X30; 1:X30; 1:X3; ]
exists (true)`, `0:X30=10004; 1:X3=1; 1:X30=20008;`},
	} {
		dir := t.TempDir()
		write(t, dir, map[string]string{name + ".litmus": tt.text})
		for _, e := range []engine.Name{engine.Graphs, engine.BMC} {
			err := Run(context.Background(), Files([]string{filepath.Join(dir, name+".litmus")}), Options{Engine: e}, func(_ File, l *verdict.Litmus) error {
				if l.Err != nil {
					return l.Err
				}
				got := slices.Clone(l.States)
				slices.Sort(got)
				if s := strings.Join(got, "|"); s != tt.states || l.Incomplete != "" {
					t.Errorf("%s by %q: %s%s, want %s", name, l.Engine, s, l.Incomplete, tt.states)
				}
				return nil
			})
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}
