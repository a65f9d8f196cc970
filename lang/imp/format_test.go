package imp

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/program"
)

func TestFormat(t *testing.T) {
	const in = "\n\nprogram   T;  // name\nconst N=3 ,M = - 1\n\n\nvariables x=y=0,// one\n\ta[N] ; // two\n  int8 z\n" +
		"process P[i in 0 .. N-1]\nlocal r=- 1, t[2]\nbegin\nx:=1;  /* why */ y := a [ i-1 ]+ ~r*2;\nwhile not(x=1)  do\n// inside\nif x=1 then skip\n" +
		"elif x!=2 then r:=cas( x,1 , 2 )\nelse\ny+=1 // up\n// before fi\nfi;\nchoose x:=1\n[]\nx:=2\nend\nod;\nl:\nx := x +\n     1;\ncs: F (x)\nend\n" +
		"procedure F(var v)begin v:=1 end\nforbid P[i]@ cs&P [j]@cs\n   & x=1 for i<j\n~ exists x=1\n// end"
	const want = `program T;  // name
const N = 3, M = -1

variables x = y = 0,  // one
  a[N];               // two
  int8 z
process P[i in 0..N-1]
  local r = -1, t[2]
begin
  x := 1; /* why */ y := a[i-1] + ~r*2;
  while not (x = 1) do
    // inside
    if x = 1 then skip
    elif x != 2 then r := cas(x, 1, 2)
    else
      y += 1  // up
      // before fi
    fi;
    choose x := 1
    []
      x := 2
    end
  od;
  l:
  x := x +
       1;
  cs: F(x)
end
procedure F(var v) begin v := 1 end
forbid P[i]@cs & P[j]@cs
   & x = 1 for i < j
~exists x = 1
// end
`
	got, err := Format(&program.Source{Text: in})
	if err != nil || got != want {
		t.Errorf("%v\n%s\nwant\n%s", err, got, want)
	}
	if _, err := Format(&program.Source{Text: "program T process"}); err == nil {
		t.Error("no error")
	}
}

// TestFormatKeeps: the words and the comments are the same, and once more changes nothing.
func TestFormatKeeps(t *testing.T) {
	files, _ := filepath.Glob("../../examples/*.imp")
	texts := documented(t)
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(text))
	}
	if len(files) < 20 {
		t.Errorf("only %d examples", len(files))
	}
	bare := func(s string) string { return strings.Join(strings.Fields(s), "") }
	for _, text := range texts {
		once, err := Format(&program.Source{Text: text})
		if err != nil {
			t.Errorf("%v\n%s", err, text)
			continue
		}
		if bare(once) != bare(text) {
			t.Errorf("words differ:\n%s\nand\n%s", text, once)
		}
		twice, err := Format(&program.Source{Text: once})
		if err != nil || twice != once {
			t.Errorf("%v\n%s\nbecomes\n%s", err, once, twice)
		}
		for _, s := range []string{text, once} {
			if _, err := parse(s, nil); err != nil {
				t.Error(err)
			}
		}
	}
}
