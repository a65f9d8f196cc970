package suite

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/engine"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// Accesses of several sizes to one variable of x86: an aligned access is not torn, and a load
// may have a part from the store buffer and the rest from memory.
func TestMixedSizes(t *testing.T) {
	for name, tt := range map[string]struct{ text, sc, tso string }{
		"halves": {`X86_64 halves
{ uint64_t x; uint64_t 0:rax=0x100000001; }
 P0            | P1             ;
 movq %rax,(x) | movl (x),%eax  ;
               | movl 4(x),%ebx ;
exists (1:rax=1 /\ 1:rbx=0)`, "1:rax=0; 1:rbx=0;|1:rax=0; 1:rbx=1;|1:rax=1; 1:rbx=1;", "="},
		"torn": {`X86_64 torn
{ uint64_t x; uint64_t 1:rax; }
 P0            | P1             ;
 movq $-1,(x)  | movq (x),%rax  ;
               | movb 7(x),%bl  ;
exists (1:rax=1)`, "1:rax=0;|1:rax=18446744073709551615;", "="},
		"forwarding": {`X86_64 forwarding
{ uint64_t x; uint64_t 0:rax; uint64_t 1:rax; }
 P0            | P1             ;
 movl $1,(x)   | movl $1,4(x)   ;
 movq (x),%rax | movq (x),%rax  ;
exists (0:rax=1 /\ 1:rax=4294967296)`,
			"0:rax=1; 1:rax=4294967297;|0:rax=4294967297; 1:rax=4294967296;|0:rax=4294967297; 1:rax=4294967297;",
			"0:rax=1; 1:rax=4294967296;|0:rax=1; 1:rax=4294967297;|0:rax=4294967297; 1:rax=4294967296;|0:rax=4294967297; 1:rax=4294967297;"},
		"bytes": {`X86_64 bytes
{ uint32_t x; }
 P0            | P1            ;
 movw $257,(x) | movb (x),%al  ;
 movb $2,1(x)  | movb 1(x),%bl ;
exists (1:rax=0 /\ 1:rbx=2)`, "1:rax=0; 1:rbx=0;|1:rax=0; 1:rbx=1;|1:rax=0; 1:rbx=2;|1:rax=1; 1:rbx=1;|1:rax=1; 1:rbx=2;", "="},
		"update": {`X86_64 update
{ uint32_t x=258; }
 P0              | P1               ;
 lock addl $1,(x) | lock incb 1(x)   ;
 movb (x),%al    | movw (x),%ax     ;
exists (0:rax=3 /\ 1:rax=514)`, "0:rax=3; 1:rax=514;|0:rax=3; 1:rax=515;", "="},
	} {
		if tt.tso == "=" {
			tt.tso = tt.sc
		}
		dir := t.TempDir()
		write(t, dir, map[string]string{name + ".litmus": tt.text})
		for model, want := range map[memory.Model]string{memory.SC: tt.sc, memory.TSO: tt.tso} {
			for _, e := range []engine.Name{"", engine.Graphs, engine.BMC} {
				err := Run(context.Background(), Files([]string{filepath.Join(dir, name+".litmus")}), Options{Model: model, Engine: e}, func(_ File, l *verdict.Litmus) error {
					if l.Err != nil {
						return l.Err
					}
					got := slices.Clone(l.States)
					slices.Sort(got)
					if s := strings.Join(got, "|"); s != want || l.Incomplete != "" {
						t.Errorf("%s under %s by %q: %s%s, want %s", name, model, l.Engine, s, l.Incomplete, want)
					}
					return nil
				})
				if err != nil {
					t.Errorf("%s under %s: %v", name, model, err)
				}
			}
		}
	}
}

// Exclusive accesses of several cells are a read-modify-write: one that succeeds has nothing of another thread come between.
func TestWideExclusives(t *testing.T) {
	for name, text := range map[string]string{
		"pair": `AArch64 pair
{ uint64_t x[2]={5,6}; 0:X0=x; 0:X1=1; 0:X2=2; 1:X0=x; 1:X1=3; 1:X2=4; }
 P0                | P1                ;
 LDXP X3,X4,[X0]   | LDXP X3,X4,[X0]   ;
 STXP W5,X1,X2,[X0] | STXP W5,X1,X2,[X0] ;
exists (0:X5=0 /\ 1:X5=0 /\ 0:X3=5 /\ 1:X3=5)`,
		"half": `AArch64 half
{ uint32_t x=5; 0:X0=x; 0:X1=1; 1:X0=x; 1:X1=3; 2:X0=x; }
 P0              | P1              | P2           ;
 LDXR W3,[X0]    | LDXR W3,[X0]    | LDRH W3,[X0] ;
 STXR W5,W1,[X0] | STXR W5,W1,[X0] |              ;
exists (0:X5=0 /\ 1:X5=0 /\ 0:X3=5 /\ 1:X3=5)`,
	} {
		dir := t.TempDir()
		write(t, dir, map[string]string{name + ".litmus": text})
		for _, model := range []memory.Model{memory.SC, memory.RA, memory.ARMv8} {
			for _, e := range []engine.Name{engine.Graphs, engine.BMC} {
				err := Run(context.Background(), Files([]string{filepath.Join(dir, name+".litmus")}), Options{Model: model, Engine: e}, func(_ File, l *verdict.Litmus) error {
					if l.Err != nil {
						return l.Err
					}
					if l.Positive != 0 || l.Negative == 0 || l.Incomplete != "" {
						t.Errorf("%s under %s by %q: %d, %d %s", name, model, l.Engine, l.Positive, l.Negative, l.Incomplete)
					}
					return nil
				})
				if err != nil {
					t.Error(err)
				}
			}
		}
	}
}

// Between an exclusive load and the store that goes with it, another thread's write may come where
// the own thread has stored in between.
func TestExclusives(t *testing.T) {
	for name, tt := range map[string]struct {
		text, states string // of which all are listed, if any is
		ok           bool
	}{
		"stored": {`AArch64 stored
{ 0:X0=x; 1:X0=x; }
 P0              | P1          ;
 LDXR W1,[X0]    | MOV W1,#3   ;
 MOV W2,#1       | STR W1,[X0] ;
 STR W2,[X0]     |             ;
 MOV W3,#2       |             ;
 STXR W4,W3,[X0] |             ;
locations [x; 0:X1; 0:X4;]
exists (0:X4=0 /\ 0:X1=0 /\ x=2)`, "0:X1=0; 0:X4=0; [x]=2;|0:X1=0; 0:X4=0; [x]=3;|0:X1=0; 0:X4=1; [x]=1;|0:X1=0; 0:X4=1; [x]=3;|0:X1=3; 0:X4=0; [x]=2;|0:X1=3; 0:X4=1; [x]=1;", true},
		"between": {`AArch64 between
{ 0:X0=x; 1:X0=x; }
 P0              | P1          ;
 LDXR W1,[X0]    | MOV W1,#3   ;
 MOV W2,#1       | STR W1,[X0] ;
 STR W2,[X0]     | LDR W2,[X0] ;
 LDR W5,[X0]     |             ;
 MOV W3,#2       |             ;
 STXR W4,W3,[X0] |             ;
forall (0:X4=1 \/ 0:X1=3 \/ x=3)`, "", false},
		"elsewhere": {`AArch64 elsewhere
{ 0:X0=x; 0:X5=y; 1:X0=x; }
 P0              | P1          ;
 LDXR W1,[X0]    | MOV W1,#3   ;
 MOV W2,#1       | STR W1,[X0] ;
 STR W2,[X5]     |             ;
 MOV W3,#2       |             ;
 STXR W4,W3,[X0] |             ;
forall (0:X4=1 \/ 0:X1=3 \/ x=3)`, "", true},
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
				if s := strings.Join(got, "|"); tt.states != "" && s != tt.states || l.Ok != tt.ok {
					t.Errorf("%s by %q: %v, %s", name, l.Engine, l.Ok, s)
				}
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		}
	}
}
