package litmus_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/lang/litmus"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// FuzzParse: no input makes ParseTest panic, and what it accepts is well formed
// and can be printed.
func FuzzParse(f *testing.F) {
	f.Add(storeBuffer)
	for _, c := range lowered {
		f.Add(machine(c.code))
	}
	for _, c := range conditionCases {
		f.Add(conditionTest + c.final)
	}
	for _, c := range errorCases {
		if text, _ := inContext(c.text); len(text) < 1000 {
			f.Add(text)
		}
	}
	for _, c := range riscLowered {
		f.Add(riscTest(c.arch, c.init, c.code))
	}
	for _, c := range riscErrors {
		f.Add(riscTest(c.arch, c.init, c.code))
	}
	examples, _ := filepath.Glob("../../examples/litmus/*.litmus")
	for _, file := range examples {
		if text, err := os.ReadFile(file); err == nil {
			f.Add(string(text))
		}
	}
	f.Add("C t {} P0(int *x) { int r = memory_order_relaxed; *x = r; } exists (x=0)")
	f.Add("X86 a\n{ 0:EAX=x; }\nP0|P1;\nMOV [EAX+4],1 | LOCK; XADD [x],EAX;\n|L: jmp L;\nlocations [0:EAX; x int*;] filter x=1 forall x={1}")
	f.Fuzz(func(t *testing.T, text string) {
		src := &program.Source{Name: "fuzz.litmus", Text: text}
		test, err := litmus.ParseTest(src)
		if err != nil {
			d, ok := err.(*program.Diagnostic)
			if !ok || d.Source != src || d.Msg == "" || (strings.Contains(d.Msg+d.Hint, "%!") && !strings.Contains(text, "%!")) || test != nil {
				t.Fatalf("%#v, %v", err, test)
			}
			if !d.Pos.IsValid() || d.Pos.Line > strings.Count(text, "\n")+1 || d.Pos.Col > len(src.Line(d.Pos.Line))+2 {
				t.Fatalf("%v is not in the text", d.Pos)
			}
			return
		}
		if err := wellFormed(test); err != nil {
			t.Fatal(err)
		}
		// The initial state will do as a state to print.
		p := test.Program
		var fs verdict.FinalState
		for _, c := range p.Memory {
			fs.Memory = append(fs.Memory, c.Init)
		}
		for _, th := range p.Threads {
			var regs []int64
			for _, r := range th.Regs {
				regs = append(regs, r.Init)
			}
			fs.Regs = append(fs.Regs, regs)
		}
		if o := test.Outcome([]verdict.FinalState{fs}); len(o.States) > 1 {
			t.Fatal(o)
		}
	})
}
