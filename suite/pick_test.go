package suite

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/encode/bmc"
)

// picked are threads of Arm that read y and then access x, with what is computed, chosen by a
// conditional select or compared by a compare-and-swap in between; and whether the access may
// happen before the read, as seen by a thread that keeps its own accesses in order. What is
// expected is what herd7 7.58 says under its aarch64.cat.
var picked = []struct {
	name, thread string
	allowed      bool
}{
	{"acq", "LDAR W1,[X0]\nLDR W5,[X6]", false},
	{"acqpc", "LDAPR W1,[X0]\nLDR W5,[X6]", false},
	{"addr-csinc-untaken", "LDR W1,[X0]\nEOR W7,W1,W1\nCMP W9,#0\nCSINC W2,W4,W7,EQ\nLDR W5,[X6,W2,SXTW]", true},
	{"addr-isb", "LDR W1,[X0]\nEOR W2,W1,W1\nLDR W8,[X10,W2,SXTW]\nISB\nLDR W5,[X6]", false},
	{"addr-sel-cond", "LDR W1,[X0]\nCMP W1,#0\nCSEL W2,W3,W4,EQ\nAND W2,W2,#2\nLDR W5,[X6,W2,SXTW]", true},
	{"addr-sel-taken", "LDR W1,[X0]\nEOR W7,W1,W1\nCMP W9,#0\nCSEL W2,W7,W4,EQ\nLDR W5,[X6,W2,SXTW]", false},
	{"addr-sel-untaken", "LDR W1,[X0]\nEOR W7,W1,W1\nCMP W9,#0\nCSEL W2,W7,W4,NE\nLDR W5,[X6,W2,SXTW]", true},
	{"addrpo-isb-sel", "LDR W1,[X0]\nCMP W1,#0\nCSEL W2,W3,W4,EQ\nLDR W8,[X10,W2,SXTW]\nISB\nLDR W5,[X6]", false},
	{"addrpost", "LDR W1,[X0],#0\nSUB X7,X0,X0\nLDR W5,[X6,X7]", true},
	{"bic", "LDR W1,[X0]\nBIC W7,W1,W1\nLDR W5,[X6,W7,SXTW]", false},
	{"ctrl-sel", "LDR W1,[X0]\nCMP W1,#0\nCSEL W2,W3,W4,EQ\nCBNZ W2,LC\nLC: LDR W5,[X6]", true},
	{"ctrlisb-sel", "LDR W1,[X0]\nCMP W1,#0\nCSEL W2,W3,W4,EQ\nCBNZ W2,LC\nLC: ISB\nLDR W5,[X6]", false},
	{"data-rfi-addr-sel", "LDR W1,[X0]\nCMP W1,#0\nCSEL W2,W3,W4,EQ\nSTR W2,[X10]\nLDR W8,[X10]\nLDR W5,[X6,W8,SXTW]", true},
	{"data-rfi-addr", "LDR W1,[X0]\nEOR W2,W1,W1\nSTR W2,[X10]\nLDR W8,[X10]\nLDR W5,[X6,W8,SXTW]", false},
	{"lb-LDADD-data", "LDR W1,[X0]\nEOR W7,W1,W1\nADD W7,W7,#1\nLDADD W7,W8,[X6]", false},
	{"lb-STADD-data", "LDR W1,[X0]\nEOR W7,W1,W1\nADD W7,W7,#1\nSTADD W7,[X6]", false},
	{"lb-SWP-data", "LDR W1,[X0]\nEOR W7,W1,W1\nADD W7,W7,#1\nSWP W7,W8,[X6]", false},
	{"lb-SWPAL-data", "LDR W1,[X0]\nEOR W7,W1,W1\nADD W7,W7,#1\nSWPAL W7,W8,[X6]", false},
	{"lb-addr-sel-untaken", "LDR W1,[X0]\nEOR W7,W1,W1\nCMP W9,#0\nCSEL W2,W7,W4,NE\nMOV W9,#1\nSTR W9,[X6,W2,SXTW]", true},
	{"lb-addr-sel", "LDR W1,[X0]\nCMP W1,#0\nCSEL W2,W3,W4,EQ\nMOV W9,#1\nSTR W9,[X6,W2,SXTW]", false},
	{"lb-cascmp-ok-CAS", "LDR W1,[X0]\nEOR W7,W1,W1\nMOV W8,#1\nCAS W7,W8,[X6]", false},
	{"lb-cascmp-ok-CASA", "LDR W1,[X0]\nEOR W7,W1,W1\nMOV W8,#1\nCASA W7,W8,[X6]", false},
	{"lb-cascmp-ok-CASL", "LDR W1,[X0]\nEOR W7,W1,W1\nMOV W8,#1\nCASL W7,W8,[X6]", false},
	{"lb-casnew-ok-CAS", "LDR W1,[X0]\nEOR W7,W1,W1\nADD W8,W7,#1\nMOV W9,#0\nCAS W9,W8,[X6]", false},
	{"lb-casnew-ok-CASA", "LDR W1,[X0]\nEOR W7,W1,W1\nADD W8,W7,#1\nMOV W9,#0\nCASA W9,W8,[X6]", false},
	{"lb-casnew-ok-CASL", "LDR W1,[X0]\nEOR W7,W1,W1\nADD W8,W7,#1\nMOV W9,#0\nCASL W9,W8,[X6]", false},
	{"lb-ctrl-sel", "LDR W1,[X0]\nCMP W1,#0\nCSEL W2,W3,W4,EQ\nMOV W9,#1\nCBNZ W2,LC\nLC: STR W9,[X6]", false},
	{"lb-data-rfi-data-sel", "LDR W1,[X0]\nCMP W1,#0\nCSEL W2,W3,W4,EQ\nSTR W2,[X10]\nLDR W8,[X10]\nADD W8,W8,#1\nSTR W8,[X6]", false},
	{"lb-data-sel", "LDR W1,[X0]\nCMP W1,#0\nCSEL W2,W3,W4,EQ\nADD W2,W2,#1\nSTR W2,[X6]", false},
	{"lb-datapo-sel", "LDR W1,[X0]\nCMP W1,#0\nCSEL W2,W3,W4,EQ\nSTR W2,[X10]\nMOV W9,#1\nSTR W9,[X6]", true},
	{"lb-ldxr-status-ctrl", "LDXR W1,[X0]\nSTXR W9,W7,[X0]\nMOV W11,#1\nCBNZ W9,LC\nLC: STR W11,[X6]", true},
	{"lb-ldxr-status-data", "LDXR W1,[X0]\nSTXR W9,W7,[X0]\nEOR W9,W9,W9\nADD W9,W9,#1\nSTR W9,[X6]", true},
	{"lb-sel-lob-acq", "LDR W1,[X0]\nCMP W1,#0\nCSEL W2,W3,W4,EQ\nADD X11,X10,W2,SXTW\nLDAR W8,[X11]\nEOR W12,W8,W8\nADD W12,W12,#1\nSTR W12,[X6]", false},
	{"lb-sel-lob-pl", "LDR W1,[X0]\nCMP W1,#0\nCSEL W2,W3,W4,EQ\nADD X11,X10,W2,SXTW\nLDR W8,[X11]\nEOR W12,W8,W8\nADD W12,W12,#1\nSTR W12,[X6]", false},
	{"lb-sel-nothing", "LDR W1,[X0]\nCMP W1,#0\nCSEL W2,W3,W4,EQ\nMOV W9,#1\nSTR W9,[X6]", true},
	{"lb-sel-po-acq", "LDR W1,[X0]\nCMP W1,#0\nCSEL W2,W3,W4,EQ\nADD X11,X10,W2,SXTW\nLDAR W8,[X11]\nMOV W12,#1\nSTR W12,[X6]", false},
	{"lb-sel-po-pl", "LDR W1,[X0]\nCMP W1,#0\nCSEL W2,W3,W4,EQ\nADD X11,X10,W2,SXTW\nLDR W8,[X11]\nMOV W12,#1\nSTR W12,[X6]", false},
	{"lb-stxr-data", "LDR W1,[X0]\nEOR W7,W1,W1\nADD W7,W7,#1\nLDXR W8,[X6]\nSTXR W9,W7,[X6]", false},
	{"ldp", "LDR W1,[X0]\nEOR W7,W1,W1\nLDR W5,[X6,W7,SXTW #2]", false},
	{"movk", "LDR W1,[X0]\nMOV W7,W1\nMOVZ W7,#0\nLDR W5,[X6,W7,SXTW]", true},
	{"movk2", "LDR W1,[X0]\nMOV W7,W1\nMOVK W7,#0\nLDR W5,[X6,W7,SXTW]", false},
	{"mp-LDADD-read", "LDR W1,[X0]\nEOR W7,W1,W1\nLDADD W7,W8,[X10]\nEOR W9,W8,W8\nLDR W5,[X6,W9,SXTW]", true},
	{"mp-STADD-read", "LDR W1,[X0]\nEOR W7,W1,W1\nSTADD W7,[X10]\nEOR W9,W8,W8\nLDR W5,[X6,W9,SXTW]", true},
	{"mp-SWP-read", "LDR W1,[X0]\nEOR W7,W1,W1\nSWP W7,W8,[X10]\nEOR W9,W8,W8\nLDR W5,[X6,W9,SXTW]", true},
	{"mp-SWPAL-read", "LDR W1,[X0]\nEOR W7,W1,W1\nSWPAL W7,W8,[X10]\nEOR W9,W8,W8\nLDR W5,[X6,W9,SXTW]", false},
	{"mp-cascmp-fail-CAS", "LDR W1,[X0]\nEOR W7,W1,W1\nADD W7,W7,#5\nMOV W8,#1\nCAS W7,W8,[X6]\nMOV W5,W7", true},
	{"mp-cascmp-fail-CASA", "LDR W1,[X0]\nEOR W7,W1,W1\nADD W7,W7,#5\nMOV W8,#1\nCASA W7,W8,[X6]\nMOV W5,W7", true},
	{"mp-cascmp-fail-CASL", "LDR W1,[X0]\nEOR W7,W1,W1\nADD W7,W7,#5\nMOV W8,#1\nCASL W7,W8,[X6]\nMOV W5,W7", true},
	{"mp-cascmp-ok-read-CAS", "LDR W1,[X0]\nEOR W7,W1,W1\nMOV W8,#1\nCAS W7,W8,[X10]\nEOR W9,W7,W7\nLDR W5,[X6,W9,SXTW]", true},
	{"mp-cascmp-ok-read-CASA", "LDR W1,[X0]\nEOR W7,W1,W1\nMOV W8,#1\nCASA W7,W8,[X10]\nEOR W9,W7,W7\nLDR W5,[X6,W9,SXTW]", true},
	{"mp-cascmp-ok-read-CASL", "LDR W1,[X0]\nEOR W7,W1,W1\nMOV W8,#1\nCASL W7,W8,[X10]\nEOR W9,W7,W7\nLDR W5,[X6,W9,SXTW]", true},
	{"mp-cascmp-read-CAS", "LDR W1,[X0]\nEOR W7,W1,W1\nADD W7,W7,#5\nMOV W8,#1\nCAS W7,W8,[X10]\nEOR W9,W7,W7\nLDR W5,[X6,W9,SXTW]", true},
	{"mp-cascmp-read-CASA", "LDR W1,[X0]\nEOR W7,W1,W1\nADD W7,W7,#5\nMOV W8,#1\nCASA W7,W8,[X10]\nEOR W9,W7,W7\nLDR W5,[X6,W9,SXTW]", true},
	{"mp-cascmp-read-CASL", "LDR W1,[X0]\nEOR W7,W1,W1\nADD W7,W7,#5\nMOV W8,#1\nCASL W7,W8,[X10]\nEOR W9,W7,W7\nLDR W5,[X6,W9,SXTW]", true},
	{"mp-casdst-read-CAS", "LDR W11,[X0]\nMOV W7,#1\nMOV W8,#1\nCAS W7,W8,[X0]\nMOV W1,W7\nEOR W9,W7,W7\nLDR W5,[X6,W9,SXTW]", true},
	{"mp-casdst-read-CASA", "LDR W11,[X0]\nMOV W7,#1\nMOV W8,#1\nCASA W7,W8,[X0]\nMOV W1,W7\nEOR W9,W7,W7\nLDR W5,[X6,W9,SXTW]", false},
	{"mp-casdst-read-CASL", "LDR W11,[X0]\nMOV W7,#1\nMOV W8,#1\nCASL W7,W8,[X0]\nMOV W1,W7\nEOR W9,W7,W7\nLDR W5,[X6,W9,SXTW]", true},
	{"mp-casnew-fail-CAS", "LDR W1,[X0]\nEOR W7,W1,W1\nMOV W5,#5\nCAS W5,W7,[X6]", true},
	{"mp-casnew-fail-CASA", "LDR W1,[X0]\nEOR W7,W1,W1\nMOV W5,#5\nCASA W5,W7,[X6]", true},
	{"mp-casnew-fail-CASL", "LDR W1,[X0]\nEOR W7,W1,W1\nMOV W5,#5\nCASL W5,W7,[X6]", true},
	{"mp-ldxr-status", "LDXR W1,[X0]\nSTXR W9,W7,[X0]\nEOR W9,W9,W9\nLDR W5,[X6,W9,SXTW]", true},
	{"mp-stxr-status", "LDR W1,[X0]\nEOR W7,W1,W1\nLDXR W8,[X10]\nSTXR W9,W7,[X10]\nEOR W9,W9,W9\nLDR W5,[X6,W9,SXTW]", true},
	{"postidx", "LDR W1,[X0]\nLDR W8,[X10],#0\nLDR W5,[X6]", true},
	{"sel-lob-acq", "LDR W1,[X0]\nCMP W1,#0\nCSEL W2,W3,W4,EQ\nADD X11,X10,W2,SXTW\nLDAR W8,[X11]\nLDR W5,[X6]", true},
	{"sel-lob-pl", "LDR W1,[X0]\nCMP W1,#0\nCSEL W2,W3,W4,EQ\nADD X11,X10,W2,SXTW\nLDR W8,[X11]\nLDR W5,[X6]", true},
	{"tbz", "LDR W1,[X0]\nTBZ W1,#0,LC\nLC: ISB\nLDR W5,[X6]", false},
	{"wzr", "LDR W1,[X0]\nAND W7,W1,WZR\nLDR W5,[X6,W7,SXTW]", false},
}

// armTest is the test of two threads.
func armTest(name, init, p0, p1, cond string) string {
	one, two := strings.Split(p0, "\n"), strings.Split(p1, "\n")
	var b strings.Builder
	fmt.Fprintf(&b, "AArch64 %s\n{ %s }\n P0 | P1 ;\n", name, init)
	for i := range max(len(one), len(two)) {
		at := func(lines []string) string {
			if i < len(lines) {
				return lines[i]
			}
			return ""
		}
		fmt.Fprintf(&b, " %s | %s ;\n", at(one), at(two))
	}
	return b.String() + "exists (" + cond + ")\n"
}

// pickTest is the test of a thread: MP where it reads x, LB where it writes.
func pickTest(name, thread string) string {
	const init = "0:X1=x; 0:X3=y; 1:X0=y; 1:X6=x; 1:X10=z;"
	if strings.HasPrefix(name, "lb-") {
		return armTest(name, init, "LDR W0,[X1]\nDMB SY\nMOV W2,#1\nSTR W2,[X3]", thread, "0:X0=1 /\\ 1:X1=1")
	}
	return armTest(name, init, "MOV W0,#1\nSTR W0,[X1]\nDMB ST\nMOV W2,#1\nSTR W2,[X3]", thread, "1:X1=1 /\\ 1:X5=0")
}

// Pick dependencies hold back writes, and reads only behind an ISB; what a conditional select
// leaves aside is no dependency at all.
func TestPick(t *testing.T) {
	for _, tt := range picked {
		text := pickTest(tt.name, tt.thread)
		test, got := observed(t, text)
		if (got != "Never") != tt.allowed {
			t.Errorf("%s, allowed should be %v\n%s", got, tt.allowed, text)
		}
		finals, _, err := bmc.FinalStates(context.Background(), test.Program, bmc.Options{Model: "armv8"})
		if err != nil {
			t.Fatal(err)
		}
		if o := test.Outcome(finals).Observation; o != got {
			t.Errorf("bmc: %s, not %s\n%s", o, got, text)
		}
	}
}

// Whether a conditional store of Power succeeds depends on what it stores and where, and not on
// the load that reserved; as herd7 7.58 has it.
func TestConditionalStatus(t *testing.T) {
	for _, tt := range []struct {
		name, p1 string
		allowed  bool
	}{
		{"data", "lwz r2,0(r1)\nlwarx r3,r0,r5\nstwcx. r2,r0,r5\nbne L\nL: li r7,1\nstw r7,0(r8)", false},
		{"own data", "lwarx r2,r0,r1\nstwcx. r2,r0,r1\nbne L\nL: li r7,1\nstw r7,0(r8)", false},
		{"address", "lwz r2,0(r1)\nxor r10,r2,r2\nlwarx r3,r0,r5\nstwcx. r9,r10,r5\nbne L\nL: li r7,1\nstw r7,0(r8)", false},
		{"constant", "lwarx r2,r0,r1\nstwcx. r9,r0,r1\nbne L\nL: li r7,1\nstw r7,0(r8)", true},
		{"no branch", "lwz r2,0(r1)\nlwarx r3,r0,r5\nstwcx. r2,r0,r5\nli r7,1\nstw r7,0(r8)", true},
	} {
		var b strings.Builder
		b.WriteString("PPC status\n{ 0:r1=x; 0:r5=y; 1:r1=y; 1:r5=z; 1:r8=x; 1:r9=1; }\n P0 | P1 ;\n")
		p0, p1 := strings.Split("lwz r2,0(r1)\nxor r4,r2,r2\naddi r4,r4,1\nstw r4,0(r5)", "\n"), strings.Split(tt.p1, "\n")
		for i := range p1 {
			left := ""
			if i < len(p0) {
				left = p0[i]
			}
			fmt.Fprintf(&b, "%s | %s ;\n", left, p1[i])
		}
		b.WriteString("exists (0:r2=1 /\\ 1:r2=1)")
		test, got := observed(t, b.String())
		if (got != "Never") != tt.allowed {
			t.Errorf("%s: %s, allowed should be %v", tt.name, got, tt.allowed)
		}
		finals, _, err := bmc.FinalStates(context.Background(), test.Program, bmc.Options{Model: "power"})
		if err != nil {
			t.Fatal(err)
		}
		if o := test.Outcome(finals).Observation; o != got {
			t.Errorf("%s by bmc: %s, not %s", tt.name, o, got)
		}
	}
}

// The two accesses of a pair are apart, unless they are exclusive, and what acquires or
// releases orders them; as herd7 7.58 has it.
func TestPairs(t *testing.T) {
	const early = "MOV X0,#1\nADD X5,X1,#8\nSTR X0,[X5]\nDMB SY\nSTR X0,[X1]"
	for _, tt := range []struct {
		name, p0, p1 string
		allowed      bool
	}{
		{"ldp", early, "LDP X2,X3,[X1]", true},
		{"ldnp", early, "LDNP X2,X3,[X1]", true},
		{"ldiapp", early, "LDIAPP X2,X3,[X1]", false},
		{"ldxp", early, "LDXP X2,X3,[X1]", false},
		{"ldaxp", early, "LDAXP X2,X3,[X1]", false},
		{"stp", "MOV X0,#1\nSTP X0,X0,[X1]", "LDR X2,[X1,#8]\nDMB SY\nLDR X3,[X1]", true},
		{"stp2", "MOV X0,#1\nSTP X0,X0,[X1]", "LDR X2,[X1]\nDMB SY\nLDR X3,[X1,#8]", true},
		{"stilp", "MOV X0,#1\nSTILP X0,X0,[X1]", "LDR X2,[X1,#8]\nDMB SY\nLDR X3,[X1]", false},
		{"stilp2", "MOV X0,#1\nSTILP X0,X0,[X1]", "LDR X2,[X1]\nDMB SY\nLDR X3,[X1,#8]", true},
		{"stilp-down", "MOV X0,#1\nADD X1,X1,#16\nSTILP X0,X0,[X1,#-16]!", "LDR X2,[X1,#8]\nDMB SY\nLDR X3,[X1]", true},
		{"stilp-down2", "MOV X0,#1\nADD X1,X1,#16\nSTILP X0,X0,[X1,#-16]!", "LDR X2,[X1]\nDMB SY\nLDR X3,[X1,#8]", false},
		{"casp", early, "CASPA X2,X3,X2,X3,[X1]", false},
		{"casp2", "MOV X8,#1\nMOV X9,#1\nCASP X2,X3,X8,X9,[X1]", "LDR X2,[X1]\nDMB SY\nLDR X3,[X1,#8]", false},
		{"casp3", "MOV X8,#1\nCASP X2,X3,X8,X9,[X1]", "LDR X2,[X1]\nDMB SY\nLDR X3,[X1,#8]", true},
		{"stxp", "MOV X0,#1\nLDXP X8,X9,[X1]\nSTXP W4,X0,X0,[X1]", "LDR X2,[X1,#8]\nDMB SY\nLDR X3,[X1]", false},
	} {
		test, got := observed(t, armTest(tt.name, "uint64_t x[2]; 0:X1=x; 1:X1=x;", tt.p0, tt.p1, "1:X2=1 /\\ 1:X3=0"))
		if (got != "Never") != tt.allowed {
			t.Errorf("%s: %s, allowed should be %v", tt.name, got, tt.allowed)
		}
		finals, _, err := bmc.FinalStates(context.Background(), test.Program, bmc.Options{Model: "armv8"})
		if err != nil {
			t.Fatal(err)
		}
		if o := test.Outcome(finals).Observation; o != got {
			t.Errorf("%s by bmc: %s, not %s", tt.name, o, got)
		}
	}
}
