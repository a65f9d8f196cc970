package litmus_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/lang/litmus"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
)

func parse(text string) (*litmus.Test, error) {
	return litmus.ParseTest(&program.Source{Name: "test.litmus", Text: text})
}

func mustParse(t testing.TB, text string) *litmus.Test {
	t.Helper()
	test, err := parse(text)
	if err != nil {
		t.Fatal(err)
	}
	if err := wellFormed(test); err != nil {
		t.Fatal(err)
	}
	return test
}

// wellFormed is what must hold of every test that is accepted.
func wellFormed(test *litmus.Test) error {
	p := test.Program
	if err := program.Sanity(p); err != nil {
		return err
	}
	for _, t := range p.Threads {
		for i := range t.Edges {
			if !t.Edges[i].Pos.IsValid() || !t.Edges[i].Cmd.Pos.IsValid() {
				return fmt.Errorf("edge %d of %s has no place", i, t.Name)
			}
		}
		names := map[string]bool{}
		for _, q := range t.States {
			if names[q.Name] {
				return fmt.Errorf("%s has two states %s", t.Name, q.Name)
			}
			names[q.Name] = true
		}
	}
	for _, e := range p.Observe {
		switch e.(type) {
		case program.ThreadReg, program.Mem:
		default:
			return fmt.Errorf("observed %T", e)
		}
	}
	return nil
}

// ends is the final states of a test under TSO.
func ends(t *testing.T, text string) litmus.Outcome {
	t.Helper()
	test := mustParse(t, text)
	return test.Outcome(finalStates(t, test.Program, memory.TSO))
}

const storeBuffer = `X86_64 SB+mfence+po
"MFencedWR Fre PodWR Fre"
Cycle=Fre MFencedWR Fre {PodWR}
Relax=
(* A comment { in the header *)
{
uint64_t x; uint64_t 0:rax; // typed
uint64_t y; uint64_t 1:rax;
}
 P0            | P1            ;
 movq $1,(x)   | movq $1,(y)   ;
 mfence        |               ; # nothing to do
 movq (y),%rax | movq (x),%rax ;
exists (0:rax=0 /\ 1:rax=0)
`

func TestParse(t *testing.T) {
	test := mustParse(t, storeBuffer)
	var b strings.Builder
	if err := program.Print(&b, test.Program); err != nil {
		t.Fatal(err)
	}
	const want = `program SB+mfence+po

memory
  [268500992]  x  int64  0
  [268505088]  y  int64  0
  other cells are int32

thread P0
  rax  int64  0

  q0   store x <- 1   -> q1   line 11  (initial)
  q1   fence          -> q2   line 12
  q2   load rax <- y  -> end  line 13
  end                         line 13

thread P1
  rax  int64  0

  q0   store y <- 1   -> q1   line 11  (initial)
  q1   load rax <- x  -> end  line 13
  end                         line 13

exists (0:rax == 0) && (1:rax == 0)  line 14
`
	if got := b.String(); got != want {
		t.Errorf("got\n%s", got)
	}
	if test.Doc != "MFencedWR Fre PodWR Fre" || test.Arch != "X86_64" || test.Kind != litmus.Allowed ||
		test.Condition != `exists (0:rax=0 /\ 1:rax=0)` || !slices.Equal(test.Locations, []string{"0:rax", "1:rax"}) {
		t.Errorf("%+v", test)
	}
	if pos := test.Program.Threads[1].Edges[1].Pos; pos != (program.Position{Line: 13, Col: 18}) {
		t.Errorf("edge at %v", pos)
	}
	if got := fmt.Sprint(test.Program.Observe); got != "[0:rax 1:rax]" {
		t.Errorf("observed %v", got)
	}
	p, err := litmus.Parse(&program.Source{Name: "test.litmus", Text: storeBuffer})
	if err != nil || p.Name != test.Name {
		t.Error(p, err)
	}
}

// lowered is what one instruction, or a few, become. They run after a jump that
// keeps the registers from being constants: rdi may be the address of x, and
// rax and rbx anything.
var lowered = []struct{ code, want string }{
	{"movq $5,(x)", "store x <- 5"},
	{"MOVQ 5,[x]", "store x <- 5"},
	{"movq $0x10,x(%rip)", "store x <- 16"},
	{"mov $5,(x)", "store x <- 5"},
	{"movl $-1,(y)", "store y <- -1"},
	{"movb $-1,(b)", "store b <- 255"},
	{"movq $x,(p)", "store p <- 268517376"},
	{"movq (x),%rax", "load rax <- x"},
	{"mov (x),%rax", "load rax <- x"},
	{"movq rbx,rax", "rax <- rbx"},
	{"movl (y),%eax", "load $1 <- y; rax <- $1"},
	{"movl (y),%ecx", "load rcx <- y"},
	{"movl %eax,(y)", "store y <- rax & 4294967295"},
	{"movl %ecx,(y)", "store y <- rcx"},
	{"movw (w),%cx", "load $1 <- w; rcx <- (rcx & -65536) | $1"},
	{"movb %ch,(b)", "store b <- (rcx >> 8) & 255"},
	{"movb %cl,%ch", "rcx <- (rcx & -65281) | ((rcx & 255) << 8)"},
	{"movq a+8(%rip),%rax", "load rax <- a[1]"},
	{"movq [a+24],%rax", "load rax <- a[3]"},
	{"movq 8(%rsi),%rax", "load rax <- a[1]"}, // rsi is never written
	{"movq (%rdi),%rax", "assert (rdi == 268517376); load rax <- [rdi]"},
	{"movq [rdi],%rax", "assert (rdi == 268517376); load rax <- [rdi]"},
	{"movq $1,-8(%rdi)", "assert ((rdi + -8) == 268517376); store [rdi + -8] <- 1"},
	{"movq %rbx,8(%rdi,%rbx,2)", "assert ((rdi + ((rbx * 2) + 8)) == 268517376); store [rdi + ((rbx * 2) + 8)] <- rbx"},
	{"movq [rdi+rbx*8-16],%rax", "assert ((rdi + ((rbx * 8) + -16)) == 268517376); load rax <- [rdi + ((rbx * 8) + -16)]"},
	{"movq qword ptr [8*rbx+rdi],%rax", "assert ((rdi + (rbx * 8)) == 268517376); load rax <- [rdi + (rbx * 8)]"},
	{"movzbl (b),%ecx", "load $1 <- b; rcx <- $1"},
	{"movslq (y),%rax", "load $1 <- y; rax <- ($1 << 32) >> 32"},
	{"movsx %cl,%eax", "rax <- (((rcx & 255) << 56) >> 56) & 4294967295"},
	{"leaq 8(%rdi),%rax", "rax <- rdi + 8"},
	{"leal (%rbx,%rbx),%ecx", "rcx <- rbx + rbx"},
	{"mfence", "fence"},
	{"sfence", "fence sfence"},
	{"LFENCE", "fence lfence"},
	{"nop", ""},
	{"pause", ""},
	{"endbr64", ""},
	{"nopw %cs:0(%rax,%eax,0)", ""},

	{"addq $2,%rax", "rax <- rax + 2"},
	{"addl $2,%eax", "rax <- (rax + 2) & 4294967295"},
	{"addl $2,%ecx", "rcx <- rcx + 2"},
	{"subq (x),%rax", "load $1 <- x; rax <- rax - $1"},
	{"andq %rbx,(x)", "load $1 <- x; store x <- $1 & rbx"},
	{"orl $1,(y)", "load $1 <- y; store y <- $1 | 1"},
	{"xorl %ecx,%ecx", "rcx <- 0"},
	{"incq (x)", "load $1 <- x; store x <- $1 + 1"},
	{"decl %ecx", "rcx <- rcx - 1"},
	{"negq %rax", "rax <- -rax"},
	{"notq (x)", "load $1 <- x; store x <- ~$1"},
	{"shlq $3,%rax", "rax <- rax << 3"},
	{"shll %ecx", "rcx <- rcx << 1"},
	{"shr $1,%ecx", "rcx <- rcx >> 1"},
	{"sarl $1,%ecx", "rcx <- ((rcx << 32) >> 32) >> 1"},
	{"cmpq $1,(x)", "load $1 <- x"},
	{"testq %rax,%rax", ""},

	{"xchgq %rax,(x)", "xchgq { load $1 <- x; store x <- rax; rax <- $1 }"},
	{"xchg (x),%rax", "xchg { load $1 <- x; store x <- rax; rax <- $1 }"},
	{"xchg %rax,%rbx", "$1 <- rbx; rbx <- rax; rax <- $1"},
	{"lock xchgq %rax,(x)", "lock xchgq { load $1 <- x; store x <- rax; rax <- $1 }"},
	{"lock incq (x)", "lock incq { load $1 <- x; store x <- $1 + 1 }"},
	{"lock; decl (y)", "lock decl { load $1 <- y; store y <- $1 - 1 }"},
	{"lock addq %rbx,(x)", "lock addq { load $1 <- x; store x <- $1 + rbx }"},
	{"lock orq $0,(x)", "lock orq { load $1 <- x; store x <- $1 | 0 }"},
	{"lock xaddq %rax,(x)", "lock xaddq { load $1 <- x; store x <- $1 + rax; rax <- $1 }"},
	{"xaddq %rax,(x)", "load $1 <- x; store x <- $1 + rax; rax <- $1"},
	{"xaddq %rax,%rbx", "$1 <- rbx; $2 <- $1 + rax; rax <- $1; rbx <- $2"},
	{"lock cmpxchgq %rbx,(x)",
		"lock cmpxchgq { load $1 <- x; check rax == $1; store x <- rbx } | lock cmpxchgq { load $1 <- x; check rax != $1; rax <- $1 }"},
	{"lock cmpxchg (x),%rbx",
		"lock cmpxchg { load $1 <- x; check rax == $1; store x <- rbx } | lock cmpxchg { load $1 <- x; check rax != $1; rax <- $1 }"},
	{"lock incq (%rdi)", "lock incq { assert (rdi == 268517376); load $1 <- [rdi]; store [rdi] <- $1 + 1 }"},

	{"cmpq $1,%rax; sete %cl", "rcx <- (rcx & -256) | (rax == 1)"},
	{"cmpq %rbx,%rax; setg (b)", "store b <- rax > rbx"},
	{"cmpl $1,%ecx; setb %cl", "rcx <- (rcx & -256) | (rcx < 1)"},
	{"decl %ecx; setz %bl", "rcx <- rcx - 1; rbx <- (rbx & -256) | (rcx == 0)"},
	{"lock decl (y); sets %bl", "lock decl { load $1 <- y; store y <- $1 - 1 }; rbx <- (rbx & -256) | ((($1 - 1) & 4294967295) >= 2147483648)"},
	// The flags outlive what they were computed from.
	{"cmpq $1,%rax; movq $7,%rax; sete %cl", "ZF <- rax == 1; rax <- 7; rcx <- (rcx & -256) | ZF"},
	{"cmpq $1,%rax; movq $7,%rbx; sete %cl", "rbx <- 7; rcx <- (rcx & -256) | (rax == 1)"},
	{"lock cmpxchgq %rbx,(x); sete %cl",
		"lock cmpxchgq { load $1 <- x; check rax == $1; store x <- rbx; ZF <- rax == $1 } | " +
			"lock cmpxchgq { load $1 <- x; check rax != $1; ZF <- rax == $1; rax <- $1 }; rcx <- (rcx & -256) | ZF"},
}

func TestLower(t *testing.T) {
	for _, c := range lowered {
		t.Run(c.code, func(t *testing.T) {
			test := mustParse(t, machine(c.code))
			if got := straight(t, test.Program); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// machine is a test that runs the code with registers that are no constants.
func machine(code string) string {
	var b strings.Builder
	b.WriteString(`X86_64 machine
{ uint64_t x; int y; uint16_t w; uint8_t b; int64_t a[4]={1,2,3,4}; uint64_t *p=x; 0:rsi=a; 0:rdi=x; }
 P0 ;
`)
	code = strings.Replace(code, "lock;", "lock", 1)
	for c := range strings.SplitSeq(code, ";") {
		b.WriteString(strings.TrimSpace(c) + ";\n")
	}
	// Never reached, but it writes the registers.
	b.WriteString("jmp end; movq $0,%rdi; movq $0,%rax; movq $0,%rbx; movl $0,%ecx; end: ;\n")
	text := b.String()
	if !strings.Contains(code, "(%rsi") {
		text = strings.Replace(text, "0:rsi=a;", "", 1)
	}
	return text
}

// straight is the commands of a thread without branches; those on parallel
// edges are separated by a bar.
func straight(t *testing.T, p *program.Program) string {
	t.Helper()
	th := p.Threads[0]
	out := th.Out()
	var steps []string
	for q := th.Initial; len(out[q]) > 0; q = th.Edges[out[q][0]].To {
		var ways []string
		for _, i := range out[q] {
			e := &th.Edges[i]
			if e.To != th.Edges[out[q][0]].To {
				t.Fatalf("a branch at %s", th.States[q].Name)
			}
			s := e.Cmd.Format(p, th)
			if e.Cmd.Op == program.Fence && !e.Cmd.FullFence() {
				s = "fence " + s
			}
			if e.Cmd.Op == program.Assert {
				s = "assert (" + strings.TrimPrefix(s, "assert ") + ")"
				if e.Cmd.Kind != program.Fault {
					s = "no fault: " + s
				}
			}
			ways = append(ways, strings.ReplaceAll(s, "assert rdi == 268517376", "assert (rdi == 268517376)"))
		}
		steps = append(steps, strings.Join(ways, " | "))
	}
	return strings.Join(steps, "; ")
}

// runs are programs of one thread with the state that they end in.
var runs = []struct{ init, code, want string }{
	{"0:rax=-1", "movl $1,%eax", "0:rax=1;"},
	{"0:rax=-1", "movw $1,%ax", "0:rax=18446744073709486081;"},
	{"0:rax=-1", "movb $1,%ah", "0:rax=18446744073709486591;"},
	{"", "movl $-1,%eax", "0:rax=4294967295;"},
	{"", "movq $-1,%rax", "0:rax=18446744073709551615;"},
	{"", "movabsq $0x7fffffffffffffff,%rax", "0:rax=9223372036854775807;"},
	{"0:eax=-1", "nop", "0:rax=4294967295;"},
	{"0:ah=1", "nop", "0:rax=256;"},
	{"0:rax=y", "nop", "0:rax=y;"},
	{"0:rax=a[1]", "nop", "0:rax=a+4;"},
	{"0:rax=a", "leaq 8(%rax),%rax", "0:rax=a+8;"},
	{"0:rax=a", "movl 4(%rax),%eax", "0:rax=20;"},
	{"0:rax=a; 0:rbx=2", "movl (%rax,%ebx,4),%eax", "0:rax=30;"},
	{"0:rax=a; 0:rbx=1", "incq %rbx; movl [rax+rbx*4],%eax", "0:rax=30;"},
	{"uint64_t *p=q; uint64_t q=7", "movq (p),%rax; movq (%rax),%rax", "0:rax=7;"},
	{"0:rax=5", "cmpq $5,%rax; je L; movq $1,%rax; L: nop", "0:rax=5;"},
	{"0:rax=5", "cmpq $5,%rax; jne L; movq $1,%rax; L: nop", "0:rax=1;"},
	{"0:rax=5", "cmpq $-1,%rax; jb L; movq $1,%rax; L: nop", "0:rax=5;"},
	{"0:rax=5", "cmpq $-1,%rax; jlt L; movq $1,%rax; L: nop", "0:rax=1;"},
	{"0:rax=5", "cmpq $-1,%rax; jgt L; movq $1,%rax; L: nop", "0:rax=5;"},
	{"0:rax=3", "L: incq %rbx; decq %rax; jnz L; movq %rbx,%rax", "0:rax=3;"},
	{"0:rax=3", "jmp M; L: movq $9,%rax; ret; M: jmp L", "0:rax=9;"},
	{"0:rax=0x80000000", "addl %eax,%eax; setc %al", "0:rax=1;"},
	{"0:rax=0x7fffffff", "incl %eax; seto %al; movzbl %al,%eax", "0:rax=1;"},
	{"0:rax=6", "subq $4,%rax; setp %al", "0:rax=0;"},
	{"0:rax=7", "subq $4,%rax; setp %al", "0:rax=1;"},
	{"0:rax=-1; 0:rbx=4", "testl %ebx,%ebx; cmovz %ebx,%eax", "0:rax=4294967295;"},
	{"0:rax=-1; 0:rbx=4", "testl %ebx,%ebx; cmovnzl %ebx,%eax", "0:rax=4;"},
	{"0:rax=-1; int z=4", "cmpl $4,(z); cmovel (z),%eax", "0:rax=4;"},
	{"0:rax=-1; uint64_t z=4", "cmpq $5,(z); cmovc %rax,(z)", "0:rax=4;"},
	{"0:rax=2; 0:rbx=4", "xchg %al,%bl; movb %bl,%ah", "0:rax=516;"},
	{"0:rax=2; int z=4", "lock xaddl %eax,(z); addl (z),%eax", "0:rax=10;"},
	{"0:rax=4; 0:rbx=9; int z=4", "lock cmpxchgl %ebx,(z); movl (z),%eax", "0:rax=9;"},
	{"0:rax=5; 0:rbx=9; int z=4", "lock cmpxchgl %ebx,(z)", "0:rax=4;"},
	{"0:rax=5; 0:rbx=9; int z=4", "cmpxchgl %ebx,(z); sete %ah", "0:rax=4;"},
	{"0:rax=4; 0:rbx=9; int z=4", "cmpxchgl %ebx,(z); sete %ah", "0:rax=260;"},
	{"0:rax=1", "shl 2,%eax", "0:rax=4;"},
	{"0:rax=-8", "sarq $1,%rax", "0:rax=18446744073709551612;"},
	{"0:rax=-8", "shrq $1,%rax", "0:rax=9223372036854775804;"},
	{"int8_t z=-3", "movsbl (z),%eax", "0:rax=4294967293;"},
	{"int8_t z=-3", "movzbl (z),%eax", "0:rax=253;"},
}

func TestRuns(t *testing.T) {
	for _, c := range runs {
		t.Run(c.init+": "+c.code, func(t *testing.T) {
			text := "X86_64 run\n{ int a[3]={10,20,30}; uint64_t 0:rax; " + c.init + "; }\nP0;\n" + c.code + ";\nlocations [0:rax;]"
			if strings.Contains(c.init, "0:rax=") || strings.Contains(c.init, "0:eax=") || strings.Contains(c.init, "0:ah=") {
				text = strings.Replace(text, "uint64_t 0:rax;", "", 1)
				for _, r := range []string{"0:rax=", "0:eax=", "0:ah="} {
					text = strings.Replace(text, r, "uint64_t "+r, 1)
				}
			}
			if got := ends(t, text).States; len(got) != 1 || got[0] != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// The oldest tests have a trailer for another tool, expectations for single models, and
// idioms that do nothing but order.
func TestOldForms(t *testing.T) {
	test := mustParse(t, `X86_64 old (Old) ""
{ x = 0; P0:RAX = 1; };

  P0                 | P1                     ;
  movl $1,(x)        | movl $1,(y)            ;
  lock orl $0,(%rsp) | lock addl $0,-4(%rsp)  ;
  clflush (x)        | movl $2,(0x100)        ;
  movl (y),%eax      | movl (x),%eax          ;

final (P0:EAX = 0 /\ P1:EAX = 0 /\ ~fault(P0,x));
with
tso: ~exists;
default: forall;

<<
show 0 of "ess" @~
>>
<<
>>
`)
	o := test.Outcome(finalStates(t, test.Program, memory.TSO))
	if want := []string{"0:eax=0; 1:eax=1;", "0:eax=1; 1:eax=0;", "0:eax=1; 1:eax=1;"}; !slices.Equal(o.States, want) {
		t.Errorf("got %q", o.States)
	}
	if want := []string{"line 7: clflush does nothing: caches are not modelled",
		"line 10: no access faults here: what the condition says of faults is false",
		"line 11: what the test expects under single models (tso, default) is not compared: its own condition counts"}; !slices.Equal(test.Notes, want) {
		t.Errorf("got %q", test.Notes)
	}
	for text, want := range map[string]string{
		"exists (x=1) <<": "expected >>", "exists (x=1) with tso": "expected :", "exists (x=1) with tso: x": "expected exists", "exists fault(": "expected )",
	} {
		if _, err := parse("X86 a\n{}\nP0;\n" + text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
