package litmus_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/explore"
	"github.com/fencepost-verifier/fencepost/lang/litmus"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// Conditions, how they print, and whether they hold in the one state of the test
// below.
var conditionCases = []struct {
	final, text, observation string
	ok                       bool
}{
	{"exists (x=1)", "exists ([x]=1)", "Always", true},
	{"exists x=2", "exists ([x]=2)", "Never", false},
	{"~exists x=2", "~exists ([x]=2)", "Never", true},
	{"~ exists (x=1)", "~exists ([x]=1)", "Always", false},
	{"forall [x]==1;", "forall ([x]=1)", "Always", true},
	{"forall (x!=1)", "forall (not ([x]=1))", "Never", false},
	{"forall x<>0", "forall (not ([x]=0))", "Always", true},
	{"final x=1", "exists ([x]=1)", "Always", true},
	{"locations [] (x=1)", "exists ([x]=1)", "Always", true},
	{"", "forall (true)", "Always", true},
	{"exists false", "exists (false)", "Never", false},
	{"exists (true /\\ ~false)", "exists (true /\\ not (false))", "Always", true},
	{"exists x=1 /\\ y=-1 /\\ 1:rax=3", "exists ([x]=1 /\\ [y]=-1 /\\ 1:rax=3)", "Always", true},
	{"exists P1:RAX=0x3", "exists (1:rax=3)", "Always", true},
	{"exists 1:%eax=3", "exists (1:eax=3)", "Always", true},
	{"exists 1:al=3 /\\ 1:ah=0", "exists (1:al=3 /\\ 1:ah=0)", "Always", true},
	{"exists x=2 \\/ (x=1 /\\ y=-1)", "exists ([x]=2 \\/ [x]=1 /\\ [y]=-1)", "Always", true},
	{"exists (x=2 \\/ x=1) /\\ not (y=0)", "exists (([x]=2 \\/ [x]=1) /\\ not ([y]=0))", "Always", true},
	{"exists x=2 => y=0", "exists ([x]=2 => [y]=0)", "Always", true},
	{"exists x=1 => y=0", "exists ([x]=1 => [y]=0)", "Never", false},
	// An implication binds more than a conjunction, and to the right.
	{"exists x=2 /\\ x=1 => y=0", "exists ([x]=2 /\\ ([x]=1 => [y]=0))", "Never", false},
	{"exists (x=2 /\\ x=1) => y=0", "exists (([x]=2 /\\ [x]=1) => [y]=0)", "Always", true},
	{"exists x=2 => x=2 => y=0", "exists ([x]=2 => [x]=2 => [y]=0)", "Always", true},
	{"exists a[1]=8 /\\ a[0]=7", "exists (a[1]=8 /\\ a[0]=7)", "Always", true},
	{"exists a={7,8}", "exists (a={7,8})", "Always", true},
	{"exists a!={7,8}", "exists (not (a={7,8}))", "Never", false},
	{"exists p=x", "exists ([p]=x)", "Always", true},
	{"exists p=y", "exists ([p]=y)", "Never", false},
	{"exists p=&x", "exists ([p]=x)", "Always", true},
	{"exists 0:rdi=a[1]", "exists (0:rdi=a+1)", "Always", true},
	{"exists 0:rbx=1:rax", "exists (0:rbx=1:rax)", "Always", true},
	{"exists 0:rbx=[x]", "exists (0:rbx=[x])", "Never", false},
	{"exists [x]=[y]", "exists ([x]=[y])", "Never", false},
	{"exists x=P1:rax", "exists ([x]=1:rax)", "Never", false},
	// Values count as far as the type reaches.
	{"exists y=4294967295", "exists ([y]=4294967295)", "Always", true},
	{"exists u=-1", "exists ([u]=-1)", "Always", true},
	{"exists 0:rcx=-1", "exists (0:rcx=-1)", "Always", true},
	{"exists 0:rcx=4294967295", "exists (0:rcx=4294967295)", "Always", true},
	{"exists 0:rdx=-1", "exists (0:rdx=-1)", "Never", false},
	{"exists 0:rdx=4294967295", "exists (0:rdx=4294967295)", "Always", true},
}

const conditionTest = `X86_64 condition
{ int y; uint64_t u=-1; int a[2]={7,8}; int *p=x; 0:rbx=3; 0:rdi=a[1]; uint64_t 0:rdx; }
 P0            | P1           ;
 movl $1,(x)   | movl $3,%eax ;
 movl $-1,(y)  |              ;
 movl $-1,%ecx |              ;
 movl $-1,%edx |              ;
`

func TestConditions(t *testing.T) {
	for _, c := range conditionCases {
		t.Run(c.final, func(t *testing.T) {
			test := mustParse(t, conditionTest+c.final)
			if test.Condition != c.text {
				t.Errorf("got  %s\nwant %s", test.Condition, c.text)
			}
			o := test.Outcome(finalStates(t, test.Program, memory.SC))
			if o.Observation != c.observation || o.Ok != c.ok {
				t.Errorf("got %s %v, want %s %v", o.Observation, o.Ok, c.observation, c.ok)
			}
			if c.final == "" {
				if len(test.Program.Properties) > 0 {
					t.Error("a property without a condition")
				}
				return
			}
			// The property is violated where an exists holds and others do not.
			res, err := explore.Check(t.Context(), test.Program, explore.Options{Model: memory.SC})
			if err != nil {
				t.Fatal(err)
			}
			if want := o.Ok == (test.Kind == litmus.Allowed); (res.Unsafe()) != want {
				t.Errorf("%v", res.Verdict())
			}
		})
	}
}

// What a list of final states shows.
func TestStates(t *testing.T) {
	const storeBuffer = `{ uint64_t x; int8_t b; int a[2]; int *p; }
 P0           | P1           ;
 movl $1,(z)  | movl $1,(y)  ;
 movl (y),%eax| movl (z),%eax;
`
	for _, c := range []struct {
		text   string
		states []string
	}{
		{storeBuffer + "exists 0:rax=0 /\\ 1:rax=0", []string{"0:rax=0; 1:rax=0;", "0:rax=0; 1:rax=1;", "0:rax=1; 1:rax=0;", "0:rax=1; 1:rax=1;"}},
		{storeBuffer + "locations [z; y;]", []string{"[y]=1; [z]=1;"}},
		{storeBuffer + "filter 0:rax=0 exists 1:rax=0", []string{"1:rax=0;", "1:rax=1;"}},
		{storeBuffer + "locations [1:rax;] filter not (0:rax=0) \\/ 1:rax=1 exists 0:rax=0",
			[]string{"0:rax=0; 1:rax=1;", "0:rax=1; 1:rax=0;", "0:rax=1; 1:rax=1;"}},
		{storeBuffer + "filter false forall false", nil},
		{storeBuffer, []string{""}},
		// Registers, variables, elements; by number, by name.
		{storeBuffer + "locations [a[1]; 1:rcx; a; y; b; a[0]; 0:rdx; 0:rbx; 0:rbx]",
			[]string{"0:rbx=0; 0:rdx=0; 1:rcx=0; a={0,0}; [b]=0; [y]=1; a[0]=0; a[1]=0;"}},
		{"{ uint64_t u=-1; int i=-1; 0:rax=-1; uint64_t 0:rbx=-1; uint8_t c=200; int8_t d=200; uint32_t 0:rcx=-1; int64_t 0:rdx=-1; }" +
			" P0; locations [u; i; 0:rax; 0:rbx; c; d; 0:rcx int; 0:rdx;]",
			[]string{"0:rax=-1; 0:rbx=18446744073709551615; 0:rcx=4294967295; 0:rdx=-1; [c]=200; [d]=-56; [i]=-1; [u]=18446744073709551615;"}},
		// Numbers come before addresses, and are not compared as text.
		{`{ int n; uint64_t p; uint64_t q=x; }
 P0              | P1          | P2           | P3           ;
 movl $10,(n)    | movl $9,(n) | movq $x,(p)  | movq $77,(p) ;
locations [n; p; q;]`, []string{"[n]=9; [p]=77; [q]=x;", "[n]=9; [p]=x; [q]=x;", "[n]=10; [p]=77; [q]=x;", "[n]=10; [p]=x; [q]=x;"}},
		{`{ uint64_t a[9]; 0:rdi=a; 0:rsi=a[2]; }
 P0                     | P1              ;
 leaq 32(%rdi),%rdi     | movq $1,a+8(%rip) ;
 movq $7,16(%rdi)       |                 ;
 movq %rdi,(a)          |                 ;
 movl $3,%r9d           |                 ;
 movq %r9,8(%rsi,%r9,8) |                 ;
locations [0:rdi; a;]`, []string{"0:rdi=a+32; a={a+32,1,0,0,0,0,3,0,0};"}},
		{"{ uint64_t x; x=-1; int *p; p=x; } P0; locations [x; p; ]", []string{"[p]=x; [x]=18446744073709551615;"}},
		// The sizes of cells follow the accesses.
		{"{ int x=-1; } P0; movq (x),%rax; locations [x; 0:rax;]", []string{"0:rax=-1; [x]=-1;"}},
		{"{ uint64_t x=7; } P0; movl (x),%eax; locations [x; 0:rax;]", []string{"0:rax=7; [x]=7;"}},
		{"{ 0:rdi=x; } P0; addq $0,%rdi; movb $-1,(%rdi); locations [x;]", []string{"[x]=255;"}},
		{"{ 0:rdi=x; } P0; addq $0,%rdi; mov $-1,(%rdi); locations [x;]", []string{"[x]=-1;"}},
	} {
		if got := ends(t, "X86_64 states\n"+c.text).States; !slices.Equal(got, c.states) {
			t.Errorf("%s\ngot  %q\nwant %q", c.text, got, c.states)
		}
	}
}

// X86 has the destination first.
func TestX86(t *testing.T) {
	for _, c := range []struct{ code, state string }{
		{"MOV EAX,5; ADD EAX,[x]; SUB [x],EAX", "0:EAX=15; [x]=-5;"},
		{"MOV EAX,-1; MOV AL,1; MOV AH,[b]", "0:EAX=-61183; [x]=10;"},
		{"MOV EAX,$2; LEA EAX,[EAX+EAX*4-1]; MOV DWORD PTR [x],EAX", "0:EAX=9; [x]=9;"},
		{"MOV EAX,[x]; CMP EAX,11; JL L; MOV EAX,0; L: INC EAX", "0:EAX=11; [x]=10;"},
		{"MOV EBX,7; CMP EBX,7; CMOVE EAX,[x]; NEG [x]", "0:EAX=10; [x]=-10;"},
		{"MOV EAX,3; XCHG EAX,[x]", "0:EAX=10; [x]=3;"},
		{"MOV EAX,3; LOCK XADD [x],EAX; LOCK; DEC [x]", "0:EAX=10; [x]=12;"},
		{"MOV EAX,10; MOV EBX,4; LOCK CMPXCHG [x],EBX", "0:EAX=10; [x]=4;"},
		{"MOV ESI,x; MOV EAX,[ESI]", ""},
		{"MOV ESI,$x; MOV EAX,[ESI]", "0:EAX=10; [x]=10;"},
		{"MOV EDI,-4; MOV EAX,4; MOV ESI,$x; ADD ESI,EDI; MOV EAX,[ESI+EAX]", "0:EAX=10; [x]=10;"},
		{"CMP [x],10; SETNE AL; MOVZX EAX,AL", "0:EAX=0; [x]=10;"},
	} {
		text := "X86 x86\n{ x=10; uint8_t b=17; }\nP0;\n" + strings.ReplaceAll(c.code, "; ", ";\n") + ";\nlocations [x; 0:EAX;]"
		if c.state == "" {
			if _, err := parse(text); err == nil {
				t.Errorf("%s: accepted", c.code)
			}
			continue
		}
		if got := ends(t, text).States; len(got) != 1 || got[0] != c.state {
			t.Errorf("%s: got %q, want %q", c.code, got, c.state)
		}
	}
}

// An address that is no variable's is a fault.
func TestFault(t *testing.T) {
	for _, c := range []struct{ code, want string }{
		{"addq $24,%rax; movq (%rax),%rbx", "(%rax) is not the address of a variable of 64 bits"},
		{"addq $4,%rax; movq (%rax),%rbx", "(%rax) is not the address of a variable of 64 bits"},
		{"decq %rbx; movq $1,(%rax,%rbx,8)", "(%rax,%rbx,8) is not the address of a variable of 64 bits"},
		{"movq (b),%rax; lock incq (%rax)", "(%rax) is not the address of a variable of 64 bits"},
		{"addq $16,%rax; movq (%rax),%rbx", ""},
	} {
		test := mustParse(t, "X86_64 fault\n{ uint64_t a[3]; 0:rax=a; } P0; "+c.code+"; exists true")
		_, res, err := explore.FinalStates(t.Context(), test.Program, explore.Options{})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if res.Fault() {
			got = res.Violation().Text
		}
		if got != c.want {
			t.Errorf("%s: got %q", c.code, got)
		}
	}
}

// Tests with several threads, with what herd7 says of them where it has them.
func TestThreads(t *testing.T) {
	for _, c := range []struct{ name, text, states, observation string }{
		{"Intel order", `X86 IO
{ x=0; y=0; }
 P0            | P1          ;
 MOV [x],$1    | MOV [y],1   ;
 MOV EAX,[x]   | MOV EAX,[y] ;
 LOCK; INC [x] |             ;
 MOV EBX,[y]   | MOV EBX,[x] ;
exists (0:EAX=1 /\ 0:EBX=0 /\ 1:EAX=1 /\ 1:EBX=0)`,
			"0:EAX=1; 0:EBX=0; 1:EAX=1; 1:EBX=0; | 0:EAX=1; 0:EBX=0; 1:EAX=1; 1:EBX=1; | " +
				"0:EAX=1; 0:EBX=0; 1:EAX=1; 1:EBX=2; | 0:EAX=1; 0:EBX=1; 1:EAX=1; 1:EBX=0; | " +
				"0:EAX=1; 0:EBX=1; 1:EAX=1; 1:EBX=1; | 0:EAX=1; 0:EBX=1; 1:EAX=1; 1:EBX=2;", "Sometimes"},
		{"both exchange", `X86_64 SB+xchgs
{}
 P0             | P1             ;
 movl $1,%ecx   | movl $1,%ecx   ;
 xchgl %ecx,(x) | xchgl %ecx,(y) ;
 movl (y),%eax  | movl (x),%eax  ;
exists (0:rax=0 /\ 1:rax=0)`, "0:rax=0; 1:rax=1; | 0:rax=1; 1:rax=0; | 0:rax=1; 1:rax=1;", "Never"},
		{"sfence orders no loads", `X86_64 SB+sfences
{}
 P0             | P1             ;
 movl $1,(x)    | movl $1,(y)    ;
 sfence         | lfence         ;
 movl (y),%eax  | movl (x),%eax  ;
exists (0:rax=0 /\ 1:rax=0)`, "0:rax=0; 1:rax=0; | 0:rax=0; 1:rax=1; | 0:rax=1; 1:rax=0; | 0:rax=1; 1:rax=1;", "Sometimes"},
		{"counters", `X86_64 counters
{ int n; int m; }
 P0             | P1             ;
 lock incl (n)  | lock addl $1,(n) ;
 incl (m)       | addl $1,(m)    ;
locations [n;] exists (m=1)`, "[m]=1; [n]=2; | [m]=2; [n]=2;", "Sometimes"},
		{"exchange and add", `X86_64 tickets
{ }
 P0                  | P1                  | P2                  ;
 movl $1,%eax        | movl $1,%eax        | movl $1,%eax        ;
 lock xaddl %eax,(n) | lock xaddl %eax,(n) | lock xaddl %eax,(n) ;
forall (not (0:rax=1:rax) /\ not (1:rax=2:rax) /\ n=3)`,
			"0:rax=0; 1:rax=1; 2:rax=2; [n]=3; | 0:rax=0; 1:rax=2; 2:rax=1; [n]=3; | 0:rax=1; 1:rax=0; 2:rax=2; [n]=3; | " +
				"0:rax=1; 1:rax=2; 2:rax=0; [n]=3; | 0:rax=2; 1:rax=0; 2:rax=1; [n]=3; | 0:rax=2; 1:rax=1; 2:rax=0; [n]=3;", "Always"},
		{"compare and exchange", `X86_64 cas
{ 0:rbx=1; 1:rbx=2; }
 P0                      | P1                      ;
 lock cmpxchgl %ebx,(x)  | lock cmpxchgl %ebx,(x)  ;
 sete %cl                | sete %cl                ;
locations [0:rax; 1:rax; x;]
forall (0:rcx=1 /\ 1:rcx=0 \/ 0:rcx=0 /\ 1:rcx=1)`,
			"0:rax=0; 0:rcx=1; 1:rax=1; 1:rcx=0; [x]=1; | 0:rax=2; 0:rcx=0; 1:rax=0; 1:rcx=1; [x]=2;", "Always"},
		{"a store between", `X86_64 xchg
{ int y; }
 P0          | P1             ;
 movl $1,(y) | movl $2,%eax   ;
             | xchgl (y),%eax ;
~exists 1:rax=1 /\ [y]=1`, "1:rax=0; [y]=1; | 1:rax=1; [y]=2;", "Never"},
		{"bytes", `X86_64 2+2W
{ int64_t x=0; int8_t y=0; }
 P0           | P1           ;
 movq $2,(x)  | movb $2,(y)  ;
 movb $-1,(y) | movq $-1,(x) ;
exists ([x]=2 /\ [y]=2)`, "[x]=-1; [y]=-1; | [x]=-1; [y]=2; | [x]=2; [y]=-1;", "Never"},
		{"jumps", `X86_64 branches
Variant=telechat
{ [P1_r0]=0;[x]=0;[y]=0; }
  P0            |  P1                 ;
   movl $2,(x)  |   mov (y),%eax      ;
   movl $1,(y)  |   cmp $1,%eax       ;
   ret          |   je L0x3b          ;
                |  L0x31:             ;
                |   mov %eax,(P1_r0)  ;
                |   ret               ;
                |  L0x3b:             ;
                |   movl $1,(x)       ;
                |   jmp L0x31         ;
exists ([x]=2 /\ P1_r0=1)`, "[P1_r0]=0; [x]=2; | [P1_r0]=1; [x]=1;", "Never"},
		{"a lock", `X86_64 spinlock
{ 0:rdi=l; 1:rdi=l; uint32_t l=1; int c; }
P0 | P1;
A: lock decl (%rdi) | A: lock decl (%rdi) ;
 jns C              | jns C               ;
B: cmpl $0,(%rdi)   | B: cmpl $0,(%rdi)   ;
 pause              | pause               ;
 jle B              | jle B               ;
 jmp A              | jmp A               ;
C: movl (c),%eax    | C: movl (c),%eax    ;
 incl %eax          | incl %eax           ;
 movl %eax,(c)      | movl %eax,(c)       ;
 movl $1,(l)        | movl $1,(l)         ;
forall (c=2)`, "[c]=2;", "Always"},
		{"a pointer is published", `X86_64 publish
{ int d=0; int none=7; int *p=none; }
 P0           | P1            ;
 movl $1,(d)  | movq (p),%rax ;
 movq $d,(p)  | movl (%rax),%ebx ;
forall (1:rax=d => 1:rbx=1)`, "1:rax=d; 1:rbx=1; | 1:rax=none; 1:rbx=7;", "Always"},
		{"an endless loop", `X86_64 loop
{}
 P0          | P1      ;
 movl $1,(x) | L: nop  ;
             | jmp L   ;
exists x=1`, "", "Never"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := ends(t, c.text)
			if got := strings.Join(o.States, " | "); got != c.states || o.Observation != c.observation {
				t.Errorf("got  %s %s\nwant %s %s", got, o.Observation, c.states, c.observation)
			}
		})
	}
}

// State is the text of one state.
func TestState(t *testing.T) {
	test := mustParse(t, storeBuffer)
	fs := verdict.FinalState{Memory: []int64{1, 1}, Regs: [][]int64{{0}, {1}}}
	if got := test.State(fs); got != "0:rax=0; 1:rax=1;" {
		t.Error(got)
	}
}

// A title has more than a name, and the quoted text may be on its line.
func TestHeader(t *testing.T) {
	for _, c := range []struct{ text, name, doc string }{
		{"X86_64 a{}P0;", "a", ""},
		{"\ufeff\r\n\tX86_64  A+b-c.d[1]:2\r\n{}P0;", "A+b-c.d[1]:2", ""},
		{"X86 a \"b\nc\" ;\n{}P0;", "a", "b\nc"},
		{"X86 a\n\n\"b\"\n{}P0;", "a", ""},
		{"X86 a (tex)\nHash=12\nno key at all\n  (* { *) K.x-y/z = {1}\n{}P0;", "a", ""},
		{"X86 --\n{}P0;", "test", ""},
	} {
		test, err := parse(c.text)
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
		} else if test.Name != c.name || test.Doc != c.doc {
			t.Errorf("%q: got %q %q", c.text, test.Name, test.Doc)
		}
	}
}

// The program says what a generic list of final states is to show.
func TestObserve(t *testing.T) {
	p := mustParse(t, conditionTest+"locations [a; 0:rax; 0:eax] filter x=1 exists p=x").Program
	var got []string
	for _, e := range p.Observe {
		got = append(got, e.String())
	}
	if want := []string{"0:rax", "a[0]", "a[1]", "p"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if p.Filter == nil || p.Filter.String() != "x == 1" {
		t.Errorf("filter %v", p.Filter)
	}
	if got := p.Properties[0].Cond.String(); got != "(x == 1) && (p == 268513280)" || p.Properties[0].Kind != program.Exists {
		t.Errorf("property %s", got)
	}
}
