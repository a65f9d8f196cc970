package suite

import (
	"context"
	"slices"
	"testing"

	"github.com/fencepost-verifier/fencepost/explore/graphs"
	"github.com/fencepost-verifier/fencepost/lang/litmus"
	"github.com/fencepost-verifier/fencepost/lang/litmus/cycles"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// named is the tests that everybody writes about, with what the papers and manuals say of
// them: whether the processor, or the language, allows the cycle.
var named = []struct {
	arch program.Arch
	// allowed and forbidden are cycles.
	allowed, forbidden []string
}{
	{program.X86, []string{
		"PodWR Fre PodWR Fre", "MFencedWR Fre PodWR Fre", "SFencedWR Fre LFencedWR Fre", // SB
		"PodWW Coe PodWR Fre", "MFencedWW Coe PodWR Fre", // R
		"Rfe PodRR Fre PodWR Fre",               // RWC
		"PodWW Rfe PodRR Fre PodWR Fre",         // W+RWC
		"PodWW Coe PodWR Fre PodWW Coe",         // Z6.4 and kin
		"Rfi PodRR Fre Rfi PodRR Fre",           // SB+rfi-pos, n6 and iwp2.4
		"PodWR Fre PodWR Fre PodWR Fre",         // 3.SB
		"MFencedWR Fre MFencedWR Fre PodWR Fre", // one fence short
	}, []string{
		"MFencedWR Fre MFencedWR Fre",
		"PodWW Rfe PodRR Fre", "PodRW Rfe PodRW Rfe", "PodWW Rfe PodRW Coe", "PodWW Coe PodWW Coe", "PodWW Coe MFencedWR Fre",
		"Rfe PodRR Fre Rfe PodRR Fre", "Rfe PodRW Rfe PodRR Fre", "PodWW Rfe PodRW Rfe PodRR Fre", "Rfe PodRR Fre MFencedWR Fre",
		"Rfe PosRR Fre", "PosRW Coe Rfe",
		"PodWW Coe PodWW Coe PodWW Coe",
	}},
	{program.AArch64, []string{
		"PodWW Rfe PodRR Fre", "DMB.SYdWW Rfe PodRR Fre", "PodWW Rfe DMB.SYdRR Fre", "DMB.SYdWW Rfe DpCtrldRR Fre", "DMB.STdWW Rfe DpCtrldRR Fre",
		"PodWWL Rfe PodRR Fre", "PodWW Rfe PodRAR Fre",
		"PodWR Fre PodWR Fre", "DMB.SYdWR Fre PodWR Fre", "PodWLRQ Fre PodWLRQ Fre", "PodWLR Fre PodWLR Fre",
		"PodRW Rfe PodRW Rfe", "DpDatadRW Rfe PodRW Rfe", "DpCtrldRW Rfe PodRW Rfe",
		"PodWW Rfe PodRW Coe", "DMB.SYdWW Rfe PodRW Coe", "PodWW Coe PodWR Fre", "DMB.SYdWW Coe PodWR Fre", "PodWW Coe PodWW Coe", "DMB.SYdWW Coe PodWW Coe",
		"Rfe PodRW Rfe DpAddrdRR Fre", "Rfe DpAddrdRW Rfe PodRR Fre", "Rfe PodRR Fre Rfe PodRR Fre", "Rfe DpCtrldRR Fre Rfe DpCtrldRR Fre",
		"DMB.SYdWW Rfe DpCtrldRW Rfi DpAddrdRR Fre", // PPOCA
		"Rfe DMB.SYdRR Fre PodWR Fre",
		"DMB.LDdRW Rfe PodRW Rfe",
	}, []string{
		"DMB.SYdWW Rfe DMB.SYdRR Fre", "DMB.SYdWW Rfe DpAddrdRR Fre", "DMB.SYdWW Rfe DpCtrlisbdRR Fre", "DMB.STdWW Rfe DMB.LDdRR Fre", "DMB.STdWW Rfe DpAddrdRR Fre",
		"PodWWL Rfe PodRAR Fre", "PodWWL Rfe PodRQR Fre", "DMB.SYdWW Rfe PodRQR Fre",
		"DMB.SYdWR Fre DMB.SYdWR Fre", "PodWLRA Fre PodWLRA Fre",
		"DpDatadRW Rfe DpDatadRW Rfe", "DpAddrdRW Rfe DpAddrdRW Rfe", "DpCtrldRW Rfe DpCtrldRW Rfe", "DMB.LDdRW Rfe DMB.LDdRW Rfe", "DpDatadRW Rfe DpCtrldRW Rfe",
		"DMB.SYdWW Rfe DpDatadRW Coe", "DMB.SYdWW Rfe DpCtrldRW Coe", "DMB.SYdWW Rfe DpAddrdRW Coe",
		"DMB.SYdWW Coe DMB.SYdWR Fre", "DMB.STdWW Coe DMB.SYdWR Fre", "DMB.STdWW Coe DMB.STdWW Coe",
		"Rfe DpAddrdRW Rfe DpAddrdRR Fre", "Rfe DpDatadRW Rfe DpAddrdRR Fre", "DMB.SYdWW Rfe DpDatadRW Rfe DpAddrdRR Fre",
		"Rfe DpAddrdRR Fre Rfe DpAddrdRR Fre", "Rfe DMB.SYdRR Fre Rfe DMB.SYdRR Fre", "Rfe DMB.SYdRR Fre DMB.SYdWR Fre",
		"DMB.SYdWW Rfe DpAddrdRW Rfi DpAddrdRR Fre", // PPOAA
		"Rfe PosRR Fre", "PosRW Coe Rfe",
	}},
	{program.RISCV, []string{
		"PodWW Rfe PodRR Fre", "Fence.w.wdWW Rfe PodRR Fre", "Fence.rw.rwdWW Rfe DpCtrldRR Fre", "Fence.rw.rwdWW Rfe DpCtrlfenceidRR Fre",
		"PodWR Fre PodWR Fre", "Fence.tsodWR Fre Fence.tsodWR Fre", "PodWWRl Rfe PodRR Fre",
		"PodRW Rfe PodRW Rfe", "DpDatadRW Rfe PodRW Rfe", "PodWW Rfe PodRW Coe", "Fence.rw.rwdWW Coe PodWR Fre", "PodWW Coe PodWW Coe",
		"Rfe PodRR Fre Rfe PodRR Fre", "Rfe DpAddrdRW Rfe PodRR Fre",
		"Fence.rw.rwdWW Rfe DpCtrldRW Rfi DpAddrdRR Fre", // PPOCA
	}, []string{
		"Fence.rw.rwdWW Rfe Fence.rw.rwdRR Fre", "Fence.w.wdWW Rfe Fence.r.rdRR Fre", "Fence.w.wdWW Rfe DpAddrdRR Fre", "Fence.tsodWW Rfe Fence.tsodRR Fre", "PodWWRl Rfe PodRAqR Fre",
		"Fence.rw.rwdWR Fre Fence.rw.rwdWR Fre", "Fence.w.rdWR Fre Fence.w.rdWR Fre",
		"DpDatadRW Rfe DpDatadRW Rfe", "DpCtrldRW Rfe DpCtrldRW Rfe", "DpAddrdRW Rfe DpAddrdRW Rfe", "Fence.r.wdRW Rfe Fence.r.wdRW Rfe",
		"Fence.rw.rwdWW Rfe DpDatadRW Coe", "Fence.w.wdWW Coe Fence.w.wdWW Coe", "Fence.rw.rwdWW Coe Fence.rw.rwdWR Fre",
		"Rfe DpAddrdRW Rfe DpAddrdRR Fre", "Rfe DpAddrdRR Fre Rfe DpAddrdRR Fre", "Fence.rw.rwdWW Rfe DpDatadRW Rfe DpAddrdRR Fre",
		"Fence.rw.rwdWW Rfe DpAddrdRW Rfi DpAddrdRR Fre", // PPOAA
		"Rfe PosRR Fre", "PosRW Coe Rfe",
	}},
	{program.PPC, []string{
		"PodWW Rfe PodRR Fre", "SyncdWW Rfe PodRR Fre", "SyncdWW Rfe DpCtrldRR Fre", "PodWR Fre PodWR Fre", "LwSyncdWR Fre LwSyncdWR Fre", "SyncdWR Fre LwSyncdWR Fre",
		"PodRW Rfe PodRW Rfe", "DpAddrdRW Rfe PodRW Rfe", "PodWW Rfe PodRW Coe", "LwSyncdWW Coe SyncdWR Fre", "PodWW Coe PodWW Coe", "SyncdWW Coe LwSyncdWR Fre",
		"Rfe DpAddrdRW Rfe DpAddrdRR Fre", "Rfe DpDatadRW Rfe DpAddrdRR Fre", "Rfe PodRR Fre Rfe PodRR Fre", "Rfe DpAddrdRR Fre Rfe DpAddrdRR Fre", "Rfe LwSyncdRR Fre Rfe LwSyncdRR Fre",
		"Rfe LwSyncdRR Fre SyncdWR Fre",
		"SyncdWW Rfe DpCtrldRW Rfi DpAddrdRR Fre", // PPOCA
	}, []string{
		"SyncdWW Rfe SyncdRR Fre", "LwSyncdWW Rfe LwSyncdRR Fre", "SyncdWW Rfe DpAddrdRR Fre", "LwSyncdWW Rfe DpAddrdRR Fre", "SyncdWW Rfe DpCtrlisyncdRR Fre", "EieiodWW Rfe DpAddrdRR Fre",
		"SyncdWR Fre SyncdWR Fre", "DpAddrdRW Rfe DpAddrdRW Rfe", "DpDatadRW Rfe DpDatadRW Rfe", "DpCtrldRW Rfe DpCtrldRW Rfe", "LwSyncdRW Rfe LwSyncdRW Rfe",
		"SyncdWW Rfe DpDatadRW Coe", "LwSyncdWW Rfe LwSyncdRW Coe", "LwSyncdWW Rfe DpAddrdRW Coe", "SyncdWW Coe SyncdWR Fre", "LwSyncdWW Coe LwSyncdWW Coe",
		"Rfe LwSyncdRW Rfe DpAddrdRR Fre", "Rfe SyncdRW Rfe DpAddrdRR Fre", "SyncdWW Rfe DpDatadRW Rfe DpAddrdRR Fre", "LwSyncdWW Rfe DpDatadRW Rfe DpAddrdRR Fre",
		"Rfe SyncdRR Fre Rfe SyncdRR Fre", "Rfe SyncdRR Fre SyncdWR Fre",
		"SyncdWW Rfe DpAddrdRW Rfi DpAddrdRR Fre", // PPOAA
		"Rfe PosRR Fre", "PosRW Coe Rfe",
	}},
	{program.C11, []string{
		"PodWW Rfe PodRR Fre", "PodWWRel Rfe PodRR Fre", "PodWW Rfe PodRAcqR Fre", "FenceReldWW Rfe PodRR Fre",
		"PodWR Fre PodWR Fre", "PodWRelRAcq Fre PodWRelRAcq Fre", "FenceARdWR Fre FenceARdWR Fre", "FenceScdWR Fre PodWR Fre",
		"Rfe PodRAcqRAcq Fre Rfe PodRAcqRAcq Fre", "PodWWRel Coe PodWWRel Coe", "PodWW Coe PodWR Fre",
	}, []string{
		"PodWWRel Rfe PodRAcqR Fre", "FenceReldWW Rfe FenceAcqdRR Fre", "FenceReldWW Rfe PodRAcqR Fre", "FenceScdWW Rfe FenceScdRR Fre",
		"PodWScRSc Fre PodWScRSc Fre", "FenceScdWR Fre FenceScdWR Fre", "PodRW Rfe PodRW Rfe", "DpDatadRW Rfe DpDatadRW Rfe",
		"RfeWScRSc PodRScRSc FreRScWSc RfeWScRSc PodRScRSc FreRScWSc", "Rfe FenceScdRR Fre Rfe FenceScdRR Fre",
		"RfeWRelRAcq PodRAcqWRel Rfe PodRAcqR Fre", "PodWWRel Rfe PodRAcqWRel Rfe PodRAcqR Fre", "PodWScWSc Coe PodWScWSc Coe", "PodWWRel Rfe PodRAcqW Coe",
		"Rfe PosRR Fre", "PosRW Coe Rfe",
	}},
	{program.LKMM, []string{
		"PodWW Rfe PodRR Fre", "WmbdWW Rfe PodRR Fre", "PodWW Rfe RmbdRR Fre", "WmbdWW Rfe DpCtrldRR Fre", "PodWR Fre PodWR Fre", "MbdWR Fre PodWR Fre", "PodWRelRAcq Fre PodWRelRAcq Fre",
		"PodRW Rfe PodRW Rfe", "DpDatadRW Rfe PodRW Rfe", "Rfe PodRR Fre Rfe PodRR Fre", "Rfe RmbdRR Fre Rfe RmbdRR Fre", "Rfe DpDatadRW Rfe RmbdRR Fre", "PodWW Coe PodWR Fre",
		"RscsdWR Fre RscsdWR Fre", "SyncRcudWR Fre RscsdWR Fre RscsdWR Fre",
	}, []string{
		"WmbdWW Rfe RmbdRR Fre", "MbdWW Rfe MbdRR Fre", "PodWWRel Rfe PodRAcqR Fre", "MbdWR Fre MbdWR Fre", "DpDatadRW Rfe DpDatadRW Rfe", "DpCtrldRW Rfe DpCtrldRW Rfe", "PodRAcqW Rfe PodRAcqW Rfe",
		"MbdWW Rfe DpDatadRW Coe", "MbdWW Coe MbdWW Coe", "MbdWW Coe MbdWR Fre", "Rfe MbdRR Fre Rfe MbdRR Fre", "Rfe PodRWRel Rfe RmbdRR Fre", "Rfe MbdRR Fre MbdWR Fre",
		"PodWWRel Rfe PodRAcqWRel Rfe PodRAcqR Fre",
		"SyncRcudWR Fre RscsdWR Fre", "SyncRcudWW Rfe RscsdRR Fre", "SyncRcudRW Rfe RscsdRW Rfe", "SyncRcudWR Fre SyncRcudWR Fre RscsdWR Fre RscsdWR Fre", "SyncRcudWR Fre SyncRcudWR Fre",
		"Rfe PosRR Fre", "PosRW Coe Rfe",
	}},
}

// coherence is the tests of one location that are no cycles of several threads: CoWW, CoWR and
// CoRW1. No model allows any of them.
var coherence = []string{
	"AArch64 CoWW\n{ 0:X1=x; }\n P0 ;\n MOV W0,#1 ;\n STR W0,[X1] ;\n MOV W0,#2 ;\n STR W0,[X1] ;\nexists (x=1)",
	"AArch64 CoWR\n{ 0:X1=x; 1:X1=x; }\n P0 | P1 ;\n MOV W0,#1 | MOV W0,#2 ;\n STR W0,[X1] | STR W0,[X1] ;\n LDR W2,[X1] | ;\nexists (0:X2=0 \\/ 0:X2=2 /\\ x=1)",
	"AArch64 CoRW1\n{ 0:X1=x; }\n P0 ;\n LDR W0,[X1] ;\n MOV W2,#1 ;\n STR W2,[X1] ;\nexists (0:X0=1)",
	"RISCV CoWW\n{ 0:x6=x; }\n P0 ;\n li x5,1 ;\n sw x5,0(x6) ;\n li x5,2 ;\n sw x5,0(x6) ;\nexists (x=1)",
	"RISCV CoWR\n{ 0:x6=x; 1:x6=x; }\n P0 | P1 ;\n li x5,1 | li x5,2 ;\n sw x5,0(x6) | sw x5,0(x6) ;\n lw x7,0(x6) | ;\nexists (0:x7=0 \\/ 0:x7=2 /\\ x=1)",
	"RISCV CoRW1\n{ 0:x6=x; }\n P0 ;\n lw x5,0(x6) ;\n li x7,1 ;\n sw x7,0(x6) ;\nexists (0:x5=1)",
	"PPC CoWW\n{ 0:r2=x; }\n P0 ;\n li r1,1 ;\n stw r1,0(r2) ;\n li r1,2 ;\n stw r1,0(r2) ;\nexists (x=1)",
	"PPC CoWR\n{ 0:r2=x; 1:r2=x; }\n P0 | P1 ;\n li r1,1 | li r1,2 ;\n stw r1,0(r2) | stw r1,0(r2) ;\n lwz r3,0(r2) | ;\nexists (0:r3=0 \\/ 0:r3=2 /\\ x=1)",
	"PPC CoRW1\n{ 0:r2=x; }\n P0 ;\n lwz r1,0(r2) ;\n li r3,1 ;\n stw r3,0(r2) ;\nexists (0:r1=1)",
	"X86_64 CoWW\n{ }\n P0 ;\n movl $1,(x) ;\n movl $2,(x) ;\nexists ([x]=1)",
	"X86_64 CoWR\n{ }\n P0 | P1 ;\n movl $1,(x) | movl $2,(x) ;\n movl (x),%eax | ;\nexists (0:rax=0 \\/ 0:rax=2 /\\ [x]=1)",
	"X86_64 CoRW1\n{ }\n P0 ;\n movl (x),%eax ;\n movl $1,(x) ;\nexists (0:rax=1)",
	"C CoWW\n{ }\nP0(atomic_int *x) { atomic_store_explicit(x, 1, memory_order_relaxed); atomic_store_explicit(x, 2, memory_order_relaxed); }\nexists ([x]=1)",
	"C CoRW1\n{ }\nP0(atomic_int *x) { int r0 = atomic_load_explicit(x, memory_order_relaxed); atomic_store_explicit(x, 1, memory_order_relaxed); }\nexists (0:r0=1)",
	"C CoWW\n{ }\nP0(int *x) { WRITE_ONCE(*x, 1); WRITE_ONCE(*x, 2); }\nexists ([x]=1)",
	"C CoRW1\n{ }\nP0(int *x) { int r0 = READ_ONCE(*x); WRITE_ONCE(*x, 1); }\nexists (0:r0=1)",
}

// observed is what is observed of a test under the model of its architecture.
func observed(t *testing.T, text string) (*litmus.Test, string) {
	t.Helper()
	test, err := litmus.ParseTest(&program.Source{Name: "test" + Extension, Text: text})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	def, err := memory.LoadFor(memory.Default(test.Program.Arch), test.Program.Arch)
	if err != nil {
		t.Fatal(err)
	}
	finals, err := graphs.FinalStates(context.Background(), test.Program, def, graphs.Options{}, func(*memory.Graph, verdict.FinalState) bool { return true })
	if err != nil {
		t.Fatal(err)
	}
	return test, test.Outcome(finals).Observation
}

// What the papers say of the tests that everybody knows.
func TestNamed(t *testing.T) {
	n := 0
	for _, tt := range named {
		check := func(cs []string, allowed bool) {
			for _, s := range cs {
				c, err := cycles.Parse(cycles.For(tt.arch), s)
				if err != nil {
					t.Errorf("%s: %v", tt.arch, err)
					continue
				}
				text := c.Text()
				_, got := observed(t, text.String())
				n++
				if (got != "Never") != allowed {
					t.Errorf("%s: %s (%s): %s, allowed should be %v\n%s", tt.arch, text.Name, s, got, allowed, text)
				}
			}
		}
		check(tt.allowed, true)
		check(tt.forbidden, false)
	}
	for _, text := range coherence {
		if test, got := observed(t, text); got != "Never" {
			t.Errorf("%s %s: %s", test.Arch, test.Name, got)
		}
	}
	t.Logf("%d tests", n+len(coherence))
}

// TestWaits has what a DSB of Arm orders and a DMB does not: whatever comes after one of stores
// waits for the stores before it.
func TestWaits(t *testing.T) {
	for fence, want := range map[string]string{
		"DMB ST": "Sometimes", "DMB ISHST": "Sometimes", "DMB SY": "Never", "DMB LD": "Sometimes",
		"DSB ST": "Never", "DSB ISHST": "Never", "DSB OSHST": "Never", "DSB SY": "Never", "DSB LD": "Sometimes",
	} {
		text := "AArch64 SB\n{ 0:X1=x; 0:X3=y; 1:X1=y; 1:X3=x; }\n P0 | P1 ;\n MOV W0,#1 | MOV W0,#1 ;\n STR W0,[X1] | STR W0,[X1] ;\n " +
			fence + " | " + fence + " ;\n LDR W2,[X3] | LDR W2,[X3] ;\nexists (0:X2=0 /\\ 1:X2=0)"
		file := File{Path: "SB.litmus", Source: &program.Source{Name: "SB.litmus", Text: text}}
		err := Run(context.Background(), slices.Values([]File{file}), Options{}, func(_ File, l *verdict.Litmus) error {
			if l.Err != nil || l.Observation != want {
				t.Errorf("%s: %s, want %s (%v)", fence, l.Observation, want, l.Err)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
