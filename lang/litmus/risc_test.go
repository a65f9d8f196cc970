package litmus_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/lang/litmus"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
)

// riscLowered is instructions of one thread and what becomes of them.
var riscLowered = []struct{ arch, init, code, want string }{
	{"AArch64", "0:X1=x", "MOV W0,#1\nSTR W0,[X1]\nSTLR W0,[X1]\nDMB ISH\nLDAR W2,[X1]\nLDAPR W3,[X1]", `
  q0   X0 <- 1          -> q1
  q1   store x <- X0    -> q2
  q2   store[L] x <- X0 -> q3
  q3   fence[DMB.ISH]   -> q4
  q4   load[A] X2 <- x  -> q5
  q5   load[Q] X3 <- x  -> end`},
	{"AArch64", "0:X1=x; 0:X3=y", "LDR W0,[X1]\nEOR W2,W0,W0\nLDR W4,[X3,W2,SXTW]", `
  q0  load X0 <- x                                         -> q1
  q1  X2 <- X0 ^ X0                                        -> q2
  q2  assert (268505088 + ((X2 << 32) >> 32)) == 268505088 -> q3
  q3  load X4 <- [268505088 + ((X2 << 32) >> 32)]          -> end`},
	{"AArch64", "uint64_t x; 0:X1=x", "LDR X0,[X1]\nSTR W0,[X1,#4]", `
  q0  load $1 <- x           -> q1
  q1  part load $2 <- x+4         -> q2
  q2  X0 <- $1 | ($2 << 32)  -> q3
  q3  store x+4 <- X0 & 4294967295 -> end`},
	{"AArch64", "0:X1=x", "L: LDAXR W0,[X1]\nADD W0,W0,#1\nSTLXR W2,W0,[X1]\nCBNZ W2,L", `
  L   load[A X] X0 <- x          -> q0
  q0  X0 <- X0 + 1 -> q1
  q1  store[L X] x <- X0         -> q2
  q1  X2 <- 1                    -> q3.6
  q2  X2 <- 0                    -> q3.7
  q3.6 check X2 != 0             -> L
  q3.7 check X2 == 0             -> end`},
	{"AArch64", "0:X1=x", "STXR W2,W0,[X1]", `
  q0  X2 <- 1 -> end`},
	{"AArch64", "0:X1=x; 0:X3=1", "CASAL W0,W3,[X1]\nLDADDA W3,W4,[X1]\nSTADDL W3,[X1]\nSWP W3,WZR,[X1]", `
  q0  CASAL { load[A] $1 <- x; check $1 == X0; store[L] x <- 1; X0 <- picked $1 } -> q1
  q0  CASAL { load[A] $1 <- x; check $1 != X0; X0 <- $1 }                         -> q1
  q1  LDADDA { load[A] $1 <- x; store x <- $1 + 1; X4 <- $1 }                     -> q2
  q2  STADDL { load[NoRet] $1 <- x; store[L] x <- $1 + 1 }                        -> q3
  q3  SWP { load $1 <- x; store x <- 1 }                                          -> end`},
	{"AArch64", "0:X1=x", "LDR W0,[X1]\nCMP W0,#1\nB.NE L\nISB\nL: NOP", `
  q0  load X0 <- x  -> q1
  q1  Z <- X0 == 1  -> q2
  q2  check !Z      -> L
  q2  check Z       -> q3
  q3  fence[ISB]    -> L`},
	{"AArch64", "uint64_t x; uint64_t y; 0:X1=x; 0:X2=y", "LDP W0,W3,[X1]\nLDR W4,[X2],#8\nMOV X5,X2", `
  q0  load X0 <- x        -> q1
  q1  part load[Second] X3 <- x+4 -> q2`},
	{"RISCV", "0:x5=x", "lr.w.aq x6,0(x5)\nsc.w.rl x7,x6,0(x5)\namoswap.w.aq.rl x8,x6,(x5)\nfence rw,w\nfence.tso\nlw x9,0(x5)", `
  q0  load[Acq X] x6 <- x                                              -> q1
  q1  store[Rel X] x <- x6                                             -> q2
  q1  x7 <- 1                                                          -> q3
  q2  part x7 <- 0                                                          -> q3
  q3  amoswap.w.aq.rl { load[AcqRel] $1 <- x; store[AcqRel] x <- x6; x8 <- ($1 << 32) >> 32 } -> q4
  q4  fence[Fence.rw.w]                                                -> q5
  q5  fence[Fence.tso]                                                 -> q6
  q6  load x9 <- x                                                     -> end`},
	{"PPC", "0:r2=x; 0:r4=y", "lwz r1,0(r2)\ncmpwi r1,1\nbne L\nL: isync\nlwarx r3,r0,r4\nstwcx. r3,r0,r4\nlwsync\nstw r3,0(r2)", `
  q0  load r1 <- x                                                              -> q1
  q1  cr0.eq <- (r1 & 4294967295) == 1                                          -> q2
  q2  check !cr0.eq                                                             -> L
  q2  check cr0.eq                                                              -> L
  L   fence[isync]                                                              -> q3
  q3  load[X] r3 <- y                                                           -> q4
  q4  store[X] y <- r3                                                          -> q5
  q4  cr0.eq <- 0 | (r3 & 0)                                                    -> q6`},
	{"C", "", "P0(atomic_int *x, int *y) { int r0 = atomic_load_explicit(x, memory_order_acquire); if (r0 == 1) { *y = r0; } atomic_thread_fence(memory_order_seq_cst); int r1 = atomic_fetch_add(x, 2); }", `
  q0  load[ACQ] r0 <- x                                 -> q1
  q1  check r0 == 1                                     -> q2
  q1  check r0 != 1                                     -> q3
  q2  store y <- r0                                     -> q3
  q3  fence[SC]                                         -> q4
  q4  atomic_fetch_add { load[SC] $1 <- x; store[SC] x <- $1 + 2 } -> q5
  q5  r1 <- $1                                          -> end`},
	{"C", "", "P0(int *x, spinlock_t *l) { spin_lock(l); WRITE_ONCE(*x, 1); smp_mb(); r0 = smp_load_acquire(x); atomic_inc(x); xchg(x, 2); spin_unlock(l); }", `
  q0  spin_lock { load[Acquire LKR] $1 <- l; check $1 == 0; store[LKW Once] l <- 1 } -> q1
  q1  store[Once] x <- 1                                                             -> q2
  q2  fence[Mb]                                                                      -> q3
  q3  load[Acquire] r0 <- x                                                          -> q4
  q4  atomic_inc { load[Noreturn Once] $1 <- x; store[Once] x <- $1 + 1 }            -> q5
  q5  fence[Mb]                                                                      -> q6
  q6  xchg { load[Once] $1 <- x; store[Once] x <- 2 }                                -> q7
  q7  fence[Mb]                                                                      -> q8
  q8  store[Release UL] l <- 0                                                       -> end`},
}

// riscTest is a test of one thread.
func riscTest(arch, init, code string) string {
	text := arch + " lowered\n{ " + init + " }\n"
	if arch == "C" {
		return text + code + "\nexists (true)"
	}
	text += "P0;\n"
	for line := range strings.SplitSeq(code, "\n") {
		text += line + ";\n"
	}
	return text + "exists (true)"
}

func TestLoweredRISC(t *testing.T) {
	for _, c := range riscLowered {
		test := mustParse(t, riscTest(c.arch, c.init, c.code))
		var b strings.Builder
		if err := program.Print(&b, test.Program); err != nil {
			t.Fatal(err)
		}
		flat := func(s string) string { return strings.Join(strings.Fields(s), " ") }
		got := flat(lineNumber.ReplaceAllString(b.String(), ""))
		for line := range strings.SplitSeq(strings.TrimSpace(c.want), "\n") {
			if want := flat(line); !strings.Contains(got, want) {
				t.Errorf("%s\n%s\nwant %s", c.code, b.String(), want)
				break
			}
		}
	}
}

// ends under SC are what the instructions compute.
func TestComputedRISC(t *testing.T) {
	for _, c := range []struct{ arch, init, code, locations, want string }{
		{"AArch64", "uint64_t x; uint64_t 0:X0; uint64_t 0:X3; 0:X1=x", "MOV X0,#1\nLSL X0,X0,#40\nORR X0,X0,#7\nSTR X0,[X1]\nLDR W2,[X1,#4]\nLDRB W3,[X1]\nSTRH W3,[X1,#2]\nLDR X3,[X1]",
			"0:X0; 0:X2; 0:X3;", "0:X0=1099511627783; 0:X2=256; 0:X3=1099512086535;"},
		{"AArch64", "0:X1=5; 0:X2=3", "CMP W1,W2\nCSEL W3,W1,W2,GT\nCSET W4,LT\nSUBS W5,W2,W1\nCINC W6,W1,MI\nMVN W7,W1\nNEG W8,W1\nASR W9,W8,#1\nUXTB W10,W8\nSXTB X11,W10",
			"0:X3; 0:X4; 0:X5; 0:X6; 0:X7; 0:X8; 0:X9; 0:X10; 0:X11;", "0:X3=5; 0:X4=0; 0:X5=-2; 0:X6=6; 0:X7=-6; 0:X8=-5; 0:X9=-3; 0:X10=251; 0:X11=-5;"},
		{"AArch64", "uint64_t x=513; uint64_t y; 0:X1=x; 0:X2=y", "LDP W3,W4,[X1]\nLDR X5,[X1],#0\nSTP W4,W3,[X2]\nLDXR X6,[X2]\nADD X6,X6,#1\nSTXR W7,X6,[X2]\nCBNZ W7,L\nLDUMAX X5,X8,[X2]\nL: NOP",
			"0:X3; 0:X4; 0:X7; 0:X8; y;", "0:X3=513; 0:X4=0; 0:X7=0; 0:X8=1; [y]=2203318222849;|0:X3=513; 0:X4=0; 0:X7=1; 0:X8=0; [y]=2203318222848;"},
		{"RISCV", "0:x5=x; int x=-1", "lw x6,0(x5)\nlbu x7,0(x5)\nsrl x8,x6,60\nsra x9,x6,60\naddiw x10,x6,2\namoadd.w x11,x10,(x5)\nsltu x12,x0,x6\nslli x13,x10,4\nli t0,7",
			"0:x6; 0:x7; 0:x8; 0:x9; 0:x10; 0:x11; 0:x12; 0:x13; x;", "0:x6=-1; 0:x7=255; 0:x8=15; 0:x9=-1; 0:x10=1; 0:x11=-1; 0:x12=1; 0:x13=16; [x]=0;"},
		{"PPC", "0:r2=x; x=9", "lwz r1,0(r2)\naddi r3,r1,-10\ncmpwi r3,0\nblt L\nli r4,1\nL: li r5,2\nsubf r6,r1,r5\nstw r6,0(r2)\nslwi r7,r5,3\nnor r8,r5,r5",
			"0:r3; 0:r4; 0:r6; 0:r7; 0:r8; x;", "0:r3=-1; 0:r4=0; 0:r6=-7; 0:r7=16; 0:r8=-3; [x]=-7;"},
		{"AArch64", "uint64_t 0:X5; uint64_t 0:X6; uint64_t 0:X7; uint64_t 0:X9; 0:X1=0x12345678", "ROR W2,W1,#8\nREV W3,W1\nREV16 W4,W1\nREV X5,X1\nMOV W8,#-2\nUMULL X6,W8,W8\nSMULL X7,W8,W8\nCMP W1,W1\nBEQ L\nMOV W9,#1\nL: SEVL",
			"0:X2; 0:X3; 0:X4; 0:X5; 0:X6; 0:X7; 0:X9;", "0:X2=2014458966; 0:X3=2018915346; 0:X4=873625686; 0:X5=8671175384462524416; 0:X6=18446744056529682436; 0:X7=4; 0:X9=0;"},
		{"RISCV", "0:x5=-3; 0:x6=511", "not x7,x5\nnegw x8,x5\nsltz x9,x5\nsgtz x10,x5\nsext.b x11,x6\nzext.b x12,x6\nzext.h x13,x5\nbltz x5,L\nli x14,1\nL: blez x6,M\nli x15,1\nM: jal x0,N\nli x16,1\nN: fence i,o",
			"0:x7; 0:x8; 0:x9; 0:x10; 0:x11; 0:x12; 0:x13; 0:x14; 0:x15; 0:x16;", "0:x7=2; 0:x8=3; 0:x9=1; 0:x10=0; 0:x11=-1; 0:x12=255; 0:x13=65533; 0:x14=0; 0:x15=1; 0:x16=0;"},
		{"PPC", "0:r2=x; x=9; 0:r9=-8", "not r3,r2\nlwarx r1,0,r2\naddi r1,r1,1\nstwcx. r1,0,r2\ncmpwi 0,r1,10\naddic r4,r1,-3\nsrawi r5,r9,1\nli r6,2\nslw r7,r6,r6\nsrw r8,r9,r6\nptesync\nlwz r10,0(r2)",
			"0:r1; 0:r4; 0:r5; 0:r7; 0:r8; 0:r10;", "0:r1=10; 0:r4=7; 0:r5=-4; 0:r7=8; 0:r8=1073741822; 0:r10=9;|0:r1=10; 0:r4=7; 0:r5=-4; 0:r7=8; 0:r8=1073741822; 0:r10=10;"},
		{"AArch64", "uint64_t 0:X7; uint64_t 0:X9; 0:X1=0x12345678; 0:X2=12; 0:X3=-1", "ROR W4,W1,W2\nNEGS W5,W2\nCSET W6,MI\nSMNEGL X7,W2,W3\nREV64 X9,X1\nCNEG W10,W2,MI\nCINV W11,W2,PL\nMOV W12,W3\nBFI W12,W2,#4,#3\nMOV W13,W3\nBFXIL W13,W1,#4,#8\nUBFIZ W14,W2,#8,#3\nSBFIZ W15,W2,#8,#4\nUBFX W16,W1,#4,#8\nSBFX W17,W1,#3,#5",
			"0:X4; 0:X5; 0:X6; 0:X7; 0:X9; 0:X10; 0:X11; 0:X12; 0:X13; 0:X14; 0:X15; 0:X16; 0:X17;", "0:X4=1736516421; 0:X5=-12; 0:X6=1; 0:X7=12; 0:X9=8671175384462524416; 0:X10=-12; 0:X11=12; 0:X12=-49; 0:X13=-153; 0:X14=1024; 0:X15=-1024; 0:X16=103; 0:X17=15;"},
		// A function that is called twice, and what RET is where nobody has called.
		{"AArch64", "0:X1=3", "BL f\nADD W1,W1,#1\nBL f\nB L\nf: ADD W2,W2,W1\nRET\nL: MOV W3,#1\nMOV X30,#7\nRET\nMOV W3,#2",
			"0:X1; 0:X2; 0:X3;", "0:X1=4; 0:X2=7; 0:X3=1;"},
		// Jumps by a distance, and what register 31 is as an operand.
		{"AArch64", "0:X0=2; uint64_t 0:X2=255; uint64_t 0:X5", "ADD W1,W1,#2\nSUBS W0,W0,#1\nB.GT .-8\nB .+8\nMOV W1,#9\nCBZ W0,.+8\nMOV W1,#7\nORR W3,WZR,W2,ROR 4\nEOR W4,W2,W2,ROR #0\nORR X5,XZR,X2,ROR #8\nMVN W6,W2,ROR #31\nADD XZR,X2,X2",
			"0:X0; 0:X1; 0:X3; 0:X4; 0:X5; 0:X6; 0:XZR;", "0:X0=0; 0:X1=4; 0:X3=-268435441; 0:X4=0; 0:X5=18374686479671623680; 0:X6=-511; 0:XZR=0;"},
		{"PPC", "uint64_t 0:r1=0x123456789abcdef0; uint64_t 0:r2; uint64_t 0:r3; uint64_t 0:r4; uint64_t 0:r5; uint64_t 0:r6=-1; uint64_t 0:r7; uint64_t 0:r8",
			"rlwinm r2,r1,4,30,31\nrlwinm r3,r1,8,0,15\nrlwinm r4,r1,0,28,3\nrldicl r5,r1,16,48\nrlwimi r6,r1,4,8,15\nclrldi r7,r1,40\nrldicr r8,r1,4,59",
			"0:r2; 0:r3; 0:r4; 0:r5; 0:r6; 0:r7; 0:r8;", "0:r2=1; 0:r3=3168665600; 0:r4=11150031902251941888; 0:r5=4660; 0:r6=18446744073706274815; 0:r7=12377840; 0:r8=2541551405711093504;"},
		{"PPC", "uint64_t x=5; 0:r2=x", "lwz r5,0(r2)\nlwarx r6,r0,r2", "0:r5; 0:r6;", "0:r5=5; 0:r6=5;"},
		// The first byte of a value counts most.
		{"PPC", "uint32_t x=16909060; uint32_t y; uint64_t z; 0:r2=x; 0:r3=y; 0:r4=z", "lbz r5,0(r2)\nlhz r6,2(r2)\nli r7,1\nstb r7,1(r3)\nlwz r8,0(r3)\nstw r7,0(r4)\nli r9,5\nsth r9,6(r4)",
			"0:r5; 0:r6; 0:r8; y; z;", "0:r5=1; 0:r6=772; 0:r8=65536; [y]=65536; [z]=4294967301;"},
		{"C", "int x=3", "P0(atomic_int *x) { int e = 3; int r1 = atomic_compare_exchange_strong(x, &e, 4); int r2 = atomic_compare_exchange_strong_explicit(x, &e, 5, memory_order_acq_rel, memory_order_relaxed); int r3 = atomic_flag_test_and_set(x); atomic_flag_clear_explicit(x, memory_order_release); atomic_signal_fence(memory_order_seq_cst); int r4 = atomic_load(x); }",
			"0:e; 0:r1; 0:r2; 0:r3; 0:r4;", "0:e=4; 0:r1=1; 0:r2=0; 0:r3=4; 0:r4=0;"},
		{"C", "int x=3", "P0(int *x) { int e = 2; int r1 = atomic_try_cmpxchg(x, &e, 4); int r2 = atomic_try_cmpxchg_acquire(x, &e, 5); ACCESS_ONCE(*x) = 7; smp_store_mb(x, 8); cpu_relax(); }",
			"0:e; 0:r1; 0:r2; x;", "0:e=3; 0:r1=0; 0:r2=1; [x]=8;"},
		{"C", "int x=3; int *p=x", "P0(int **p, int *x) { int r0 = 0; int r1; while (r0 < 3) { r0++; if (r0 == 2) continue; r1 += r0; } int *q = READ_ONCE(*p); *q = r1 << 2; r2 = (*x == 16) ? 5 : 6; int r3 = atomic_add_return(4, x); int r4 = cmpxchg(x, 20, 1); int r5 = atomic_fetch_andnot(1, x); int r6 = atomic_dec_and_test(x); }",
			"0:r0; 0:r1; 0:r2; 0:r3; 0:r4; 0:r5; 0:r6; x;", "0:r0=3; 0:r1=4; 0:r2=5; 0:r3=20; 0:r4=20; 0:r5=1; 0:r6=0; [x]=-1;"},
		{"C", "int a[3]={1,2,3}", "P0(int *a, atomic_int *e) { int r0 = a[1] + *(a + 2); int r1 = atomic_compare_exchange_strong(a, e, 4); int r2 = atomic_compare_exchange_strong_explicit(a, e, 4, memory_order_acq_rel, memory_order_relaxed); int r3 = atomic_exchange(a, 9) && !r1 || 0; }",
			"0:r0; 0:r1; 0:r2; 0:r3; a; e;", "0:r0=5; 0:r1=0; 0:r2=1; 0:r3=1; a={9,2,3}; [e]=1;"},
	} {
		text := strings.TrimSuffix(riscTest(c.arch, c.init, c.code), "exists (true)") + "locations [" + c.locations + "]"
		test := mustParse(t, text)
		test.Program.Arch = program.X86 // where SC is SC
		got := strings.Join(test.Outcome(finalStates(t, test.Program, memory.SC)).States, "|")
		if got != c.want {
			t.Errorf("%s\ngot  %s\nwant %s", text, got, c.want)
		}
	}
}

// lineNumber is what program.Print says of where a command stands.
var lineNumber = regexp.MustCompile(` +line \d+( +\(initial\))?`)

// riscErrors is what is wrong in tests of one thread, and what is said of it.
var riscErrors = []struct{ arch, init, code, want string }{
	{"AArch64", "0:X1=x", "LDRR W0,[X1]", "4:1: unknown instruction LDRR (did you mean LDAR?)"},
	{"AArch64", "0:X1=x", "LDR Q0,[X1]", "4:5: Q0 is not a register of AArch64"},
	{"AArch64", "0:X1=x", "LDR W0,[W1]", "4:8: an address is in a register of 64 bits"},
	{"AArch64", "", "LDR W0,[X1]", "4:8: [X1] is not the address of a variable (to access a variable through a register, put its address there: 0:X2=x)"},
	{"AArch64", "0:X1=P0:M", "L: BR X1", "2:11: the thread has no label M"},
	{"AArch64", "0:X1=P7:L", "L: BR X1", "2:11: the test has no thread 7: it has 1 thread"},
	{"AArch64", "0:X1=label:P0", "L: BR X1", "2:14: expected a thread and a label in quotes (the address of a label is such as label:\"P0:L1\")"},
	{"AArch64", "0:X1=label:\"L\"", "L: BR X1", "2:14: expected a thread and a label in quotes"},
	{"AArch64", "", "BLR X30", "4:5: BLR of the register that it writes is not supported"},
	{"AArch64", "0:XZR=1", "NOP", "2:3: XZR is always 0"},
	{"AArch64", "", "B .+16\nNOP", "4:1: the jump leads out of the thread, which has 2 instructions"},
	{"AArch64", "", "B .+2\nNOP", "4:3: an instruction has 4 bytes: 2 is no distance between two"},
	{"AArch64", "", "TST W1,W2,ROR #1\nADD W1,W2,W2,ROR #1", "5:14: ROR is no shift or extension that is supported"},
	{"PPC", "", "rlwinm r1,r2,32,0,31", "4:14: rlwinm counts bits from 0 to 31"},
	{"RISCV", "0:x0=1", "nop", "2:3: x0 is always 0"},
	{"RISCV", "0:x1=P0:L", "L: nop", "2:8: addresses of instructions are not supported"},
	{"AArch64", "0:X1=x", "LDR W0,[X1,#2]", "4:8: [X1,#2] is not aligned to the 32 bits of the access"},
	{"AArch64", "0:X1=x", "LDR W0,[X2,X3,LSR #2]", "4:15: LSR is no shift or extension of an index (such as LSL #2, SXTW)"},
	{"AArch64", "0:X1=x", "DMB XX", "4:5: DMB has no option XX (options are SY, LD, ST, ISH, ISHLD, ISHST, OSH, OSHLD, OSHST, NSH, NSHLD, NSHST)"},
	{"AArch64", "0:X1=x", "B.XX L", "4:1: unknown instruction B.XX"},
	{"AArch64", "0:X1=x", "CBNZ W0,L", "4:9: the thread has no label L"},
	{"AArch64", "0:X1=x", "CSEL W0,W1,W2,XX", "4:15: XX is no condition (conditions are EQ, NE, CS, CC, MI, PL, VS, VC, HI, LS, GE, LT, GT, LE, AL)"},
	{"AArch64", "0:X1=x", "TBZ W0,#40,L", "4:8: the register has no bit 40"},
	{"AArch64", "0:X1=x", "SVC #0", "4:1: SVC: exceptions are not modelled"},
	{"AArch64", "0:X1=x", "ADD W0,W1,W2,ROR #1", "4:14: ROR is no shift or extension that is supported (such as LSL #1, SXTW)"},
	{"AArch64", "0:X1=x", "MOVZ W0,#1,LSL #3", "4:9: MOVZ takes a number of 16 bits, shifted by 0, 16, 32 or 48"},
	{"AArch64", "0:X1=x", "LDP W0,X2,[X1]", "4:1: the registers of a pair have one size"},
	{"RISCV", "0:x5=x", "lw x6,x5", "4:7: expected a number, found the name \"x5\" (an operand in memory is such as 0(x6))"},
	{"RISCV", "0:x5=x", "lw x32,0(x5)", "4:4: x32 is not a register of RISCV (did you mean x12?)"},
	{"RISCV", "0:x5=x", "fence q,w", "4:7: q is no set of accesses (a fence is such as: fence rw,w)"},
	{"RISCV", "0:x5=x", "amofoo.w x6,x7,(x5)", "4:1: unknown instruction amofoo.w (did you mean amoor.w?)"},
	{"RISCV", "0:x5=x", "call f", "4:1: call: calls are not modelled (write what is called in place of the call)"},
	{"RISCV", "0:x5=x", "flw f0,0(x5)", "4:1: flw: floating point is not modelled (use integers of the same size)"},
	{"RISCV", "0:x5=x", "amocas.w x6,x7,(x5)", "4:1: amocas.w: compare-and-swap of AMOs is not modelled (use lr and sc)"},
	{"RISCV", "0:x5=x", "exsts (x=1)", "4:1: unknown instruction exsts (did you mean exists?)"},
	{"RISCV", "0:x5=x", "j 7", "4:3: a jump leads to a label with a name"},
	{"PPC", "0:r2=x", "lwz r1,0(r0)", "4:8: 0(r0) is not the address of a variable"},
	{"PPC", "0:r2=x", "lwzux r1,r0,r2", "4:10: lwzux has no base to update"},
	{"PPC", "0:r2=x", "beq cr9,L", "4:5: the fields of the condition register are cr0 to cr7"},
	{"PPC", "0:r2=x", "lwzz r1,0(r2)", "4:1: unknown instruction lwzz (did you mean lwz?)"},
	{"PPC", "0:r2=x", "bl f", "4:1: bl: calls are not modelled"},
	{"C", "", "P0(int *x) { READONCE(*x); }", "3:14: unknown function READONCE (did you mean READ_ONCE?)"},
	{"C", "", "P0(int *x) { READ_ONCE(x); }", "3:24: READ_ONCE takes something in memory (such as READ_ONCE(*x))"},
	{"C", "", "P0(int *x) { int r0 = atomic_load_explicit(x, 3); }", "3:47: this is no memory order (orders are memory_order_relaxed, _acquire, _release, _acq_rel, _seq_cst, _consume)"},
	{"C", "", "P0(int *x) { int r = memory_order_relaxed; }", "3:22: a memory order is no value here (an order is an argument of a function)"},
	{"C", "", "P0(int *x) { atomic_store_explicit(x, mo_relaxed, memory_order_relaxed); }", "3:39: a memory order is no value here (an order is an argument of a function)"},
	{"C", "", "P0(int *x) { int r0 = atomic_load(x); smp_mb(); }", "3:39: smp_mb is of the kernel, but atomic_load is of C11"},
	{"C", "", "P0(int x) { }", "3:8: a parameter is a pointer to a variable of the test (parameters are such as: int *x)"},
	{"C", "", "P0(int *x, int *x) { }", "3:17: x is a parameter already"},
	{"C", "", "P0(int *x) { x = 1; }", "3:14: this cannot be assigned to"},
	{"C", "", "P0(int *x) { goto l; }", "3:14: goto is not supported (use if, while, break and continue)"},
	{"C", "", "P0(int *x) { switch (*x) { } }", "3:14: switch is not supported (use if and else)"},
	{"C", "", "P0(int *x) { float f = 1; }", "3:14: float: floating point is not modelled (use integers of the same size)"},
	{"C", "", "P0(rwlock_t *x) { }", "3:4: rwlock_t: locks for readers and writers are not modelled (use spin_lock, or the atomics that such a lock is made of)"},
	{"C", "", "P0(int *x) { int x = 1; }", "3:18: x is a parameter: a local variable cannot have its name"},
	{"C", "", "P0(int *x) { int r = *x / 2; }", "3:25: division is not supported"},
	{"C", "", "P0(int *x) { if (*x) { *x = 1; }", "4:1: expected }, found the name \"exists\" (a function or a block is not closed)"},
	{"C", "", "P0(int *x) { break; }", "3:14: break stands in no loop"},
	{"C", "", "P0(int *x) { *(x + 1) = 2; }", "3:14: this is not the address of a variable"},
	{"C", "", "P0(int *x) { smp_mb(1); }", "3:14: smp_mb has 0 arguments, not 1"},
	{"C", "", "P0(int *x) { call_rcu(x, 1); }", "3:14: call_rcu: callbacks are not modelled"},
	{"C", "", "P1(int *x) { }", "3:1: the threads are named P0, P1, .. in this order: expected P0, found P1"},
	{"C", "3:r0=1", "P0(int *x) { }", "2:3: the test has no thread 3: it has 1 thread"},
}

func TestErrorsRISC(t *testing.T) {
	for _, c := range riscErrors {
		_, err := parse(riscTest(c.arch, c.init, c.code))
		d, ok := err.(*program.Diagnostic)
		if !ok {
			t.Errorf("%s: %v", c.code, err)
			continue
		}
		got := fmt.Sprintf("%d:%d: %s", d.Pos.Line, d.Pos.Col, d.Msg)
		if d.Hint != "" {
			got += " (" + d.Hint + ")"
		}
		if !strings.HasPrefix(got, c.want) {
			t.Errorf("%s\ngot  %s\nwant %s", c.code, got, c.want)
		}
	}
}

// Fences are placed in tests for x86 alone.
func TestSitesRISC(t *testing.T) {
	for _, c := range riscLowered {
		src := &program.Source{Name: "test.litmus", Text: riscTest(c.arch, c.init, c.code)}
		if n := len(litmus.Sites(src)) + len(litmus.Fences(src)); n != 0 {
			t.Errorf("%s: %d sites", c.arch, n)
		}
	}
}
