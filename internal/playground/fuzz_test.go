package playground

import (
	"context"
	"encoding/json"
	"testing"
	"time"
)

// FuzzAnswer asks whatever there is to ask: there is an answer to everything, and none is a defect.
func FuzzAnswer(f *testing.F) {
	for _, q := range []Request{
		{Do: "diagnose", File: "p.imp", Text: "program P process Q begin x := 1 end"},
		{Do: "check", File: "p.imp", Text: "program P variables x process P begin x := 1 end forbid x = 1"},
		{Do: "check", File: "p.c", Text: "int x; int main(void) { x = 1; return 0; }", Model: "rc11", Seconds: 0.1},
		{Do: "check", File: "p.c", Text: "int x; int main(void) { x = 1; return 0; }", Property: "race"},
		{Do: "explain", File: "SB.litmus", Text: "X86 SB\n{ }\n P0 | P1 ;\n MOV [x],$1 | MOV [y],$1 ;\n MOV EAX,[y] | MOV EAX,[x] ;\nexists (0:EAX=0 /\\ 1:EAX=0)", Model: "tso"},
		{Do: "fences", File: "p.imp", Text: "program P variables x process P begin x := 1 end forbid x = 2"},
		{Do: "robust", File: "p.imp", Text: "program P"},
		{Do: "nothing", Engine: "bmc", Seconds: -1},
	} {
		b, err := json.Marshal(q)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Add([]byte("{"))
	f.Fuzz(func(t *testing.T, request []byte) {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		var r Response
		if err := json.Unmarshal(Answer(ctx, request, nil), &r); err != nil {
			t.Fatal(err)
		}
		if r.Problem != nil && r.Problem.Defect {
			t.Errorf("%s", r.Problem.Message)
		}
	})
}
