package litmus_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/program"
)

// errorCases is what is refused: by instruction, initial state and condition, in
// a test around them, and as whole texts.
var errorCases = []struct{ text, want string }{
	// Whole texts.
	{"", "1:1: this is no litmus test: it does not begin with an architecture (the first line is such as: X86_64 SB; programs are for fencepost check and fencepost states)"},
	{"MIPS SB\n{}\nP0;", "1:1: the architecture MIPS is not supported (the architectures that can be read are AArch64, C, PPC, RISCV, X86, X86_64)"},
	{"X86_46 SB\n{}\nP0;", "1:1: the architecture X86_46 is not supported (did you mean X86_64?)"},
	{"X86_64", "1:7: the test has no name (the first line is such as: X86_64 SB)"},
	{"X86_64 a", "1:9: the test has no initial state (it stands between braces before the program: { x=0; })"},
	{"X86_64 a\n\"b", "2:1: this text has no end: expected \""},
	{"X86_64 a (* b", "1:10: this comment has no end: expected *)"},
	{"X86_64 a\n{ (* (* *) }", "2:3: this comment has no end: expected *) (comments nest: every (* needs a *) of its own)"},
	{"X86_64 a\n{}\n\xffP0;", "3:1: the file is not UTF-8 text"},
	{"X86_64 a\n{}\nP0\x00;", "3:3: the file holds a NUL byte: it is not text"},
	{"X86_64 a\n{}", "2:3: expected the name of a thread, such as P0, found the end of the file (the program begins with the names of its threads: P0 | P1 ;)"},
	{"X86_64 a\n{}\nQ0;", "3:1: \"Q0\" is not the name of a thread (the program begins with the names of its threads: P0 | P1 ;)"},
	{"X86_64 a\n{}\nP1;", "3:1: the threads are named P0, P1, .. in this order: expected P0, found P1"},
	{"X86_64 a\n{}\nP0 P1;", "3:4: expected ;, found the name \"P1\" (a row ends with a semicolon)"},
	{"X86_64 a\n{}\nP0|P1;\nnop;", "4:4: this row has 1 cell, the test 2 threads (a cell may be empty, but there is one for each thread)"},
	{"X86_64 a\n{}\nP0;\nnop|nop;", "4:4: this row has more cells than the test has threads"},
	{"X86_64 a\n{}\nP0;\nnop", "4:4: expected ;, found the end of the file (cells are separated by |, and a row ends with ;)"},
	{"X86_64 a\n{}\nP0;\nmfence nop;", "4:8: expected ;, found the name \"nop\" (cells are separated by |, and a row ends with ;)"},
	{"X86_64 a\n{}\nP0;\n= ;", "4:1: unexpected \"=\""},
	{"X86_64 a\n{}\nP0;\nnop @;", "4:5: unexpected character '@'"},
	{"X86_64 a\n{}\nP0;\nL: nop;\nL: nop;", "5:1: the label L stands twice in the thread"},
	{"X86_64 a\n{}\nP0;\nLoop: nop;\njmp Lopo;", "5:5: the thread has no label Lopo (did you mean Loop?)"},
	{"X86_64 a\n{}\nP0|P1;\nA: nop|jmp A;", "4:12: the thread has no label A (there are no labels of the thread)"},
	{"X86 a\n{}\nP0;\nmov rax,1;", "4:5: rax is not a register of X86 (registers of X86 have up to 32 bits: EAX)"},
	{"X86 a\n{}\nP0;\nmovq [x],1;", "4:1: movq is of 64 bits, but X86 has registers of 32"},
	{"X86 a\n{}\nP0;\nmov 1,eax;", "4:5: mov cannot have a number as its destination (in tests for X86 the destination comes first)"},

	// Instructions.
	{"movq (x),$1", "10: movq cannot have a number as its destination (in tests for X86_64 the destination comes last)"},
	{"mvoq $1,(x)", "unknown instruction mvoq (did you mean movq?)"},
	{"frobnicate", "unknown instruction frobnicate"},
	{"movnti %eax,(x)", "movnti: non-temporal accesses are not modelled (use mov, if the test is not about them)"},
	{"MOVNTDQA (x),%xmm0", "MOVNTDQA: non-temporal accesses are not modelled (use mov, if the test is not about them)"},
	{"movaps %xmm0,(x)", "movaps: vector registers are not modelled (use general registers, with an access for each word)"},
	{"movq %xmm0,%rax", "7: xmm0 is not a register of X86_64 (vector registers are not modelled)"},
	{"pushq %rax", "pushq: the stack is not modelled (use a variable, or a register)"},
	{"rep movsb", "rep: string instructions are not supported (write an access for each element)"},
	{"uxchl %eax,(x)", "uxchl: it is no instruction; use xchg"},
	{"lock btsl $1,(x)", "6: btsl: instructions on single bits are not supported (use and, or, xor with a mask, with lock where it stands)"},
	{"cmpxchg16b (x)", "cmpxchg16b: accesses of two words are not modelled (write an access for each word, if they need not happen at once)"},
	{"xbegin L", "xbegin: transactions are not modelled (leave it out, if the test is not about it)"},
	{"imulq %rax,%rbx", "imulq: multiplication and division are not supported (use shifts, additions and masks)"},
	{"lock movl $1,(x)", "lock cannot stand before movl"},
	{"lock mfence", "lock cannot stand before mfence"},
	{"lock incl %eax", "an instruction with a lock prefix writes memory"},
	{"lock lock incl (x)", "6: one lock is enough"},
	{"movl (x),(y)", "movl cannot have two operands in memory (take a register between them)"},
	{"movl %eax", "movl has 2 operands, not 1"},
	{"movl", "5: movl has 2 operands (operands are such as: %rax, $1, (x), 8(%rax))"},
	{"incl %eax,%ebx", "incl has 1 operand, not 2"},
	{"mfence %eax", "8: expected ;, found \"%\" (cells are separated by |, and a row ends with ;)"},
	{"movl $1,%rax", "9: movl is of 32 bits, but %rax has 64"},
	{"movq dword ptr [x],%rax", "6: movq is of 64 bits, but dword ptr [x] has 32"},
	{"movl %eax,%bl", "11: movl is of 32 bits, but %bl has 8"},
	{"mov %eax,%rbx", "5: mov is of 64 bits, but %eax has 32"},
	{"movb $256,%al", "6: 256 does not fit into 8 bits"},
	{"movb $-129,%al", "6: -129 does not fit into 8 bits"},
	{"mov $1000,(b)", "5: 1000 does not fit into 8 bits"},
	{"movb $x,%al", "6: the address of x does not fit into 8 bits"},
	{"movl x,%eax", "6: x is not an operand (the content of a variable is written (x), its address $x)"},
	{"movl =,%eax", "6: expected an operand, found \"=\" (operands are such as: %rax, $1, (x), 8(%rax))"},
	{"movl $(x),%eax", "7: expected a number, found \"(\" (an immediate operand is a number or a variable, whose address it is)"},
	{"movl %r1,%eax", "7: r1 is not a register of X86_64 (did you mean r10?)"},
	{"movl %foo,%eax", "7: foo is not a register of X86_64 (symbolic registers are not supported)"},
	{"movl %zf,%eax", "7: zf is not a register of X86_64 (flags cannot be named: setcc puts one into a register)"},
	{"movq %rip,%rax", "7: rip: instructions cannot use this register"},
	{"movl %fs:(x),%eax", "6: fs: storage of a thread is not modelled (use a variable that no other thread names)"},
	{"movl %cs:%eax,%ebx", "6: a segment goes before an operand in memory"},
	{"movl %eax:(x),%ebx", "7: eax is not a segment"},
	{"movl %cs:%cs:%cs:%cs:(x),%ebx", "18: too many prefixes before an operand"},
	{"movl (%ax),%ebx", "8: ax has 16 bits: it cannot hold an address"},
	{"movl (%rax,%rbx,3),%ebx", "6: the scale of an index is 1, 2, 4 or 8"},
	{"movl [rax+rbx+rcx],%ebx", "15: an address has one base and one index"},
	{"movl [x+y],%ebx", "9: an address has one variable"},
	{"movl (x,%rax,%rbx),%ebx", "14: expected a number, found \"%\" (the scale is 1, 2, 4 or 8)"},
	{"leaq %rax,%rbx", "6: lea takes the address of an operand in memory"},
	{"leab (x),%al", "leab cannot be of 8 bits"},
	{"xaddl (x),$1", "11: xaddl cannot have a number as its destination (in tests for X86_64 the destination comes last)"},
	{"cmpxchgl %ebx,%ecx", "cmpxchg of two registers is not supported (one operand is memory: cmpxchgl %ebx,(x))"},
	{"cmovcl %ebx,%ecx", "cmovc of two registers: herd7 and assemblers disagree which is the destination (cmovb is the same instruction, with the destination last)"},
	{"cmovel $1,%ecx", "8: cmovel takes a register or an operand in memory"},
	{"xchgl $1,%eax", "7: xchg takes a register or an operand in memory"},
	{"xaddl $1,(y)", "7: the source of xaddl is a register (in tests for X86_64 the destination comes last)"},
	{"shll %cl,%eax", "6: shifts are supported by a constant number of bits only"},
	{"movzx (x),%eax", "movzx: the width of the source must be known, and less than that of the destination (its name can say it, as movzbl does)"},
	{"jmp *%rax", "5: indirect jumps are not supported (jump to a label)"},
	{"je 1f", "4: a jump leads to a label with a name"},
	{"jmp", "4: expected a label, found \";\""},
	{"shll $2,%eax; jo L; L:", "shll: the overflow flag is read, which a shift by 2 leaves undefined"},
	{"shlb $9,%al; jb L; L:", "shlb: the carry flag is read, which a shift by 9 of 8 bits leaves undefined"},

	// Sizes.
	{"movl 2+y(%rip),%eax", "7: expected |, found \"+\" (cells are separated by |, and a row ends with ;)"},
	{"movl y+2(%rip),%eax", "6: y+2(%rip) is not aligned to the 32 bits of the access"},
	{"movl y+4(%rip),%eax", "6: y+4(%rip) is not the address of a variable"},
	{"movl (%rcx),%eax", "6: (%rcx) is not the address of a variable"},
	{"movl (%rax),%eax", "6: no register or variable holds the address of a variable of 32 bits (to access a variable through a register, put its address there: 0:rax=x)"},
	{"incl %ecx; mov $1,(%rcx)", "8: no register or variable holds the address of a variable (to access a variable through a register, put its address there: 0:rax=x)"},
	{"movq $x,%rax; movq $b,%rbx; mov $1,(%rax)", "the size of the access to (%rax) is not clear (give the instruction a suffix: b, w, l or q)"},

	// The initial state.
	{"{ x=1; x=2; }", "8: x is declared already, in line 2"},
	{"{ int x; int x; }", "14: x is declared already, in line 2"},
	{"{ 0:rax=1; 0:eax=1; }", "12: 0:eax is initialized already, in line 2"},
	{"{ itn x; }", "3: the type itn is not supported (did you mean int?)"},
	{"{ __int128 x; }", "3: the type __int128 is not supported"},
	{"{ int rax; }", "7: rax is the name of a register: a variable cannot have it"},
	{"{ a[1]=2; }", "3: a[..] cannot stand by itself (an array is declared with its type and all its elements: int a[2]={1,2})"},
	{"{ int a[0]; }", "9: an array has 1 to 1000 elements"},
	{"{ int a[2]={1}; }", "12: a has 2 elements, not 1"},
	{"{ int a[2]=1; }", "12: expected {, found the number 1 (an array is initialized by the list of its elements: int a[2]={1,2})"},
	{"{ int *a[2]; }", "8: arrays of pointers are not supported (declare it with an integer type of the size of an address)"},
	{"{ x=P0:L; }", "5: addresses of instructions are not supported"},
	{"{ x:y=1; }", "3: tags are not supported (items are such as: x=1; uint64_t y; int a[2]={1,2}; 0:rax=x)"},
	{"{ x=; }", "5: expected a number, found \";\" (a value is a number or the name of a variable, whose address it is)"},
	{"{ x=1 y=2; }", "7: expected ;, found the name \"y\" (items are such as: x=1; uint64_t y; int a[2]={1,2}; 0:rax=x)"},
	{"{ x=99999999999999999999; }", "5: 99999999999999999999 does not fit into 64 bits"},
	{"{ x=12ab; }", "5: \"12ab\" is not a number"},
	{"{ uint8_t x=256; }", "13: 256 does not fit into 8 bits"},
	{"{ 0:al=256; }", "8: 256 does not fit into 8 bits"},
	{"{ 0:foo=1; }", "5: foo is not a register of X86_64"},
	{"{ 3:rax=1; }", "3: the test has no thread 3: it has 1 thread"},
	{"{ 0 rax=1; }", "5: expected :, found the name \"rax\" (a register is written 0:rax)"},
	{"{ int a[2]; 0:rax=a[2]; }", "19: a has 2 elements"},

	// The final part.
	{"exists 0:rax", "13: expected =, found the end of the file (conditions are such as: 0:rax=1 /\\ (x=2 \\/ y!=1))"},
	{"exists rax=1", "8: the test has no variable rax (a register needs its thread: 0:rax)"},
	{"exists (xx=1)", "9: the test has no variable xx (did you mean x?)"},
	{"exists (x=zz)", "11: the test has no variable zz (the variables are b, x, y)"},
	{"exists (1:rax=1)", "9: the test has no thread 1: it has 1 thread"},
	{"exists (x=1", "12: expected ), found the end of the file"},
	{"exists x=1 y=1", "12: expected the end of the file, found the name \"y\""},
	{"exists x=1 /\\", "14: expected a variable or a register, found the end of the file"},
	{"~forall x=1", "2: expected exists, found the name \"forall\""},
	{"exists ¬x=1", "8: unexpected character '¬' (negation is written not or ~)"},
	{"exists x={1}", "8: [x] is not an array"},
	{"exists x[1]=1", "8: x is not an array"},
	{"observed x=1;", "1: \"observed\" is not supported here"},
	{"locations x", "11: expected [, found the name \"x\" (a list is such as: locations [x; 0:rax; a[1];])"},
	{"locations [x y]", "14: expected ;, found the name \"y\" (a list is such as: locations [x; 0:rax; a[1];])"},
	{"filter x=", "10: expected a number, found the end of the file (a value is a number or the name of a variable, whose address it is)"},
	{"exists " + strings.Repeat("~", 1100) + "x=1", "1009: the condition is nested too deeply"},
	{"exists " + strings.Repeat("(", 1100), "1009: the condition is nested too deeply"},
	{"exists x=1" + strings.Repeat(` /\ x=1`, 5000), "17508: the condition is too large"},
}

// inContext is the text of an error case and the line that it is about; 0 for
// a whole text.
func inContext(text string) (string, int) {
	const state = "{ uint64_t x; int y; uint8_t b; }"
	switch {
	case text == "" || strings.HasPrefix(text, "X86") || strings.Contains(text, " SB\n{"):
		return text, 0
	case strings.HasPrefix(text, "{"):
		return "X86_64 error\n" + text + "\nP0;\nnop;\n", 2
	}
	for _, w := range []string{"locations", "filter", "exists", "forall", "final", "observed", "Observed", "cases", "~"} {
		if strings.HasPrefix(text, w) {
			return "X86_64 error\n" + state + "\nP0;\nnop;\n" + text, 5
		}
	}
	return "X86_64 error\n" + state + "\nP0;\n" + strings.Replace(text, "; ", ";\n", 10) + ";\n", 4
}

func TestErrors(t *testing.T) {
	for _, c := range errorCases {
		name := c.text
		if len(name) > 50 {
			name = name[:50]
		}
		t.Run(name, func(t *testing.T) {
			text, line := inContext(c.text)
			test, err := parse(text)
			if err == nil {
				t.Fatal("accepted")
			}
			d, ok := err.(*program.Diagnostic)
			if !ok || test != nil {
				t.Fatalf("%T, %v", err, test)
			}
			want := c.want
			if line > 0 && (want[0] < '0' || want[0] > '9') {
				want = "1: " + want
			}
			got := fmt.Sprintf("%d: %s", d.Pos.Col, d.Msg)
			if line == 0 {
				got = fmt.Sprintf("%d:%s", d.Pos.Line, got)
			} else if d.Pos.Line < line {
				t.Errorf("in line %d", d.Pos.Line)
			}
			if d.Hint != "" {
				got += " (" + d.Hint + ")"
			}
			if got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}
