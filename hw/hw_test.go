package hw

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/fencepost-verifier/fencepost/internal/leaks"
	"github.com/fencepost-verifier/fencepost/lang/litmus"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// beforeChild is what a process does first that is given one more argument.
var beforeChild = func(arg string) {}

// TestMain is the process that runs tests, where it is asked to be.
func TestMain(m *testing.M) {
	if len(os.Args) >= 2 && os.Args[1] == "hw-child" {
		if len(os.Args) == 3 {
			beforeChild(os.Args[2])
		}
		if err := Child(os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(leaks.Run(m))
}

func parse(t *testing.T, text string) *litmus.Test {
	t.Helper()
	p, err := litmus.ParseTest(&program.Source{Name: "T.litmus", Text: text})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func observe(t *testing.T, text string, runs int) *verdict.Hardware {
	t.Helper()
	if !Here {
		t.Skip("not on Linux on x86-64")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	h, err := Run(t.Context(), parse(t, text), Options{Runs: runs, Command: []string{self, "hw-child"}, Time: 2 * time.Second, Timeout: 2 * time.Minute})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return h
}

const (
	sb = `X86_64 SB
{ }
 P0            | P1            ;
 movl $1,(x)   | movl $1,(y)   ;
 movl (y),%eax | movl (x),%eax ;
exists (0:rax=0 /\ 1:rax=0)`
	sbFenced = `X86_64 SB+mfences
{ }
 P0            | P1            ;
 movl $1,(x)   | movl $1,(y)   ;
 mfence        | mfence        ;
 movl (y),%eax | movl (x),%eax ;
exists (0:rax=0 /\ 1:rax=0)`
)

// Nothing that TSO forbids is seen; whether what it allows is seen is up to the machine.
func TestBuffering(t *testing.T) {
	runs := 400_000
	if testing.Short() {
		runs = 4_000
	}
	for _, text := range []string{sb, sbFenced} {
		h := observe(t, text, runs)
		total := 0
		for _, s := range h.States {
			total += s.Seen
		}
		if h.Forbidden() || total != h.Runs || total == 0 {
			t.Errorf("%d runs: %+v", total, h.States)
		}
		allowed, seen := h.Weak()
		t.Logf("%s: %d weak states, %d seen; %v", h.Name, allowed, seen, h.States)
	}
}

// A fault in the code ends its process, and no other.
func TestFault(t *testing.T) {
	if !Here {
		t.Skip("not on Linux on x86-64")
	}
	self, _ := os.Executable()
	test := parse(t, sb)
	opts := Options{Runs: 1000, Time: time.Second, Timeout: time.Minute, Command: []string{self, "hw-child"}}
	ranges, err := program.Analyse(test.Program)
	if err != nil {
		t.Fatal(err)
	}
	for name, code := range map[string][]byte{"illegal instruction": {0x0f, 0x0b}, "address 8": {0x8b, 0x04, 0x25, 8, 0, 0, 0}} {
		p, err := newPlan(test, ranges, opts)
		if err != nil {
			t.Fatal(err)
		}
		for i := range p.Threads[0].Code {
			p.Threads[0].Code[i] = code
		}
		if _, err := launch(t.Context(), p, opts); err == nil || !strings.Contains(err.Error(), "ended the process") {
			t.Errorf("%s: %v", name, err)
		}
	}
	opts.Time, opts.Timeout = time.Second, time.Second
	p, _ := newPlan(test, ranges, opts)
	for i := range p.Threads[0].Code {
		p.Threads[0].Code[i] = []byte{0xeb, 0xfe} // jumps to itself
	}
	if _, err := launch(t.Context(), p, opts); err == nil || !strings.Contains(err.Error(), "within") {
		t.Errorf("endless: %v", err)
	}
}

func TestRefused(t *testing.T) {
	arm := "AArch64 A\n{ 0:X1=x; }\n P0 ;\n MOV W0,#1 ;\nexists (0:X0=1)"
	_, err := Run(t.Context(), parse(t, arm), Options{})
	var refused *Refused
	if !errors.As(err, &refused) {
		t.Error(err)
	}
}

// TestInstructions: what the processor makes of random instructions is what we make of them. It tests
// the encoder and the front end at once.
func TestInstructions(t *testing.T) {
	n := 40
	if testing.Short() {
		n = 8
	}
	for seed := range uint64(n) {
		rng := rand.New(rand.NewPCG(seed, 9))
		text := instructions(rng)
		h := observe(t, text, 20)
		if h.Forbidden() || h.Incomplete != "" {
			t.Errorf("seed %d: %+v\n%s", seed, h, text)
		}
	}
}

// instructions is a test of one thread that computes.
func instructions(rng *rand.Rand) string {
	pick := func(words ...string) string { return words[rng.IntN(len(words))] }
	families := map[string][]string{
		"b": {"%al", "%bl", "%cl", "%dl", "%sil", "%dil", "%r8b", "%r13b"},
		"w": {"%ax", "%bx", "%cx", "%dx", "%si", "%di", "%r8w", "%r13w"},
		"l": {"%eax", "%ebx", "%ecx", "%edx", "%esi", "%edi", "%r8d", "%r13d"},
		"q": {"%rax", "%rbx", "%rcx", "%rdx", "%rsi", "%rdi", "%r8", "%r13"},
	}
	var b strings.Builder
	b.WriteString("X86_64 I\n{ uint64_t x=77; uint32_t y=3; 0:r14=y; uint64_t 0:rax; uint64_t 0:rbx; uint64_t 0:rcx; uint64_t 0:rdx; uint64_t 0:rsi; uint64_t 0:rdi; uint64_t 0:r8; uint64_t 0:r13; }\n P0 ;\n")
	for i, r := range families["q"] {
		fmt.Fprintf(&b, " movq $%d,%s ;\n", rng.Int64N(1<<31)-int64(i)<<28, r)
	}
	for i := range 14 {
		s := pick("b", "w", "l", "q")
		reg := func() string { return pick(families[s]...) }
		imm := fmt.Sprintf("$%d", rng.IntN(120))
		mem, size := pick("(x)", "(y)"), ""
		if size = "q"; mem == "(y)" {
			size, mem = "l", pick("(y)", "(%r14)", "(%r14)")
		}
		full := func() string { return pick(families[size]...) }
		cc := pick("e", "ne", "l", "ge", "le", "g", "b", "ae", "be", "a", "s", "ns")
		var line string
		switch rng.IntN(16) {
		case 0:
			line = fmt.Sprintf("%s%s %s,%s", pick("add", "sub", "and", "or", "xor", "mov"), s, reg(), reg())
		case 1:
			line = fmt.Sprintf("%s%s %s,%s", pick("add", "sub", "and", "or", "xor", "mov"), s, imm, reg())
		case 2:
			line = fmt.Sprintf("%s%s %s,%s", pick("add", "sub", "and", "or", "xor", "mov"), size, mem, full())
		case 3:
			line = fmt.Sprintf("%s%s %s,%s", pick("lock add", "sub", "lock and", "or", "xor", "mov"), size, full(), mem)
			line = strings.Replace(line, "lock mov", "mov", 1)
		case 4:
			line = fmt.Sprintf("%s%s %s", pick("inc", "dec", "neg", "not"), s, reg())
		case 5:
			line = fmt.Sprintf("lock %s%s %s", pick("inc", "dec", "neg", "not"), size, mem)
		case 6:
			line = fmt.Sprintf("xchg%s %s,%s", size, full(), mem)
		case 7:
			line = fmt.Sprintf("lock xadd%s %s,%s", size, full(), mem)
		case 8:
			line = fmt.Sprintf("lock cmpxchg%s %s,%s", size, full(), mem)
		case 9:
			line = fmt.Sprintf("cmp%s %s,%s ;\n set%s %s", s, reg(), reg(), cc, pick(families["b"]...))
		case 10:
			line = fmt.Sprintf("cmp%s %s,%s ;\n cmov%s%s %s,%s", s, imm, reg(), cc, "q", pick(families["q"]...), pick(families["q"]...))
		case 11:
			line = fmt.Sprintf("%s %s,%s", pick("movzbl", "movsbl"), pick(families["b"]...), pick(families["l"]...))
		case 12:
			line = fmt.Sprintf("movslq %s,%s", pick(families["l"]...), pick(families["q"]...))
		case 13:
			line = fmt.Sprintf("%s%s $%d,%s", pick("shl", "shr", "sar"), s, 1+rng.IntN(6), reg())
		case 14:
			line = fmt.Sprintf("lea %d(%s,%s,%d),%s", rng.IntN(100), pick(families["q"]...), pick(families["q"]...), 1<<rng.IntN(4), pick(families["q"]...))
		default:
			line = fmt.Sprintf("test%s %s,%s ;\n j%s L%d ;\n inc%s %s ;\n L%d: nop", s, reg(), reg(), cc, i, s, reg(), i)
		}
		fmt.Fprintf(&b, " %s ;\n", line)
	}
	b.WriteString("locations [x; y; 0:rax; 0:rbx; 0:rcx; 0:rdx; 0:rsi; 0:rdi; 0:r8; 0:r13;]\n")
	return b.String()
}
