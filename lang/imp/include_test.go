package imp

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/program"
)

// in is an Include of texts by name, whatever the folder.
func in(files map[string]string) Include {
	return func(from, name string) (*program.Source, error) {
		text, ok := files[name]
		if !ok {
			return nil, errors.New("no such file")
		}
		return &program.Source{Name: name, Text: text}, nil
	}
}

const usesLock = `program Uses
include "lock.imp";
variables n
process P[i in 1..WORKERS]
begin
  acquire();
  n += 1;
  release()
end
exists n != WORKERS
`

const lockFile = `// A lock.
const WORKERS = 2
include "word.imp"
procedure acquire() begin
  while cas(word, 0, 1) = 0 do skip od
end
procedure release() begin
  word := 0
end
`

func TestInclude(t *testing.T) {
	files := map[string]string{"lock.imp": lockFile, "word.imp": "variables word"}
	src := &program.Source{Name: "uses.imp", Text: usesLock}
	p, err := Parse(src, map[string]int64{"WORKERS": 3}, in(files))
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Threads) != 3 || len(p.Memory) != 2 || p.Memory[0].Name != "word" {
		t.Errorf("%d threads, memory %v", len(p.Threads), p.Memory)
	}
	// It is the program that has all of it in one file.
	one := strings.Replace(usesLock, `include "lock.imp";`, strings.Replace(lockFile, `include "word.imp"`, "", 1), 1)
	one = strings.Replace(one, "variables n", "variables word variables n", 1)
	q, err := Parse(&program.Source{Name: "one.imp", Text: one}, map[string]int64{"WORKERS": 3})
	if err != nil {
		t.Fatal(err)
	}
	for i, th := range p.Threads {
		if got, want := format(p, th), format(q, q.Threads[i]); got != want {
			t.Errorf("got\n%swant\n%s", got, want)
		}
	}
	found := false
	for _, e := range p.Threads[0].Edges {
		if e.Cmd.Pos.File == "lock.imp" {
			found = true
			if line := p.Source.File(e.Cmd.Pos).Line(e.Cmd.Pos.Line); !strings.Contains(line, "word") {
				t.Errorf("%v is %q", e.Cmd.Pos, line)
			}
		}
	}
	if !found {
		t.Error("no command stands in lock.imp")
	}
	if len(p.Source.Included) != 1 || len(p.Source.Included[0].Included) != 1 {
		t.Errorf("%+v", p.Source.Included)
	}

	// Fences go into the file itself; the source knows what it includes.
	for _, s := range Sites(p.Source) {
		if s.Pos.File != "" || s.Pos.Line < 4 {
			t.Errorf("a fence at %+v", s)
		}
		if _, err := Parse(&program.Source{Name: "uses.imp", Text: program.Revise(src.Text, s.Edits).Text}, nil, in(files)); err != nil {
			t.Errorf("with a fence: %v", err)
		}
	}
	if got, err := Format(src, in(files)); err != nil || got != usesLock {
		t.Errorf("%v\n%s", err, got)
	}
	if got, err := Format(&program.Source{Name: "lock.imp", Text: lockFile}, in(files)); err != nil || got != lockFile {
		t.Errorf("%v\n%s", err, got)
	}
	all, err := Outline(src, in(files))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, d := range all {
		names = append(names, d.Name+"@"+spot(d.Pos))
	}
	if got := strings.Join(names, " "); got != "WORKERS@lock.imp:2:7 word@word.imp:1:11 n@3:11 acquire@lock.imp:4:11 release@lock.imp:7:11 P@4:9 i@4:11" {
		t.Error(got)
	}
	for text, want := range map[string]bool{lockFile: true, "/* c */ include \"x\"": true, usesLock: false, "progam P": false, "": false, "\x00": false} {
		if got := Fragment(&program.Source{Text: text}); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func TestIncludeErrors(t *testing.T) {
	deep := map[string]string{}
	for i := range 40 {
		deep[fmt.Sprint(i)] = fmt.Sprintf("include %q", fmt.Sprint(i+1))
	}
	for _, c := range []struct {
		files   map[string]string
		program string
		want    string // file:line:column: message / hint
	}{
		{nil, "program T include x", `t.imp:1:19: expected the name of a file in double quotes, found the name "x"`},
		{nil, `program T include "x"`, `t.imp:1:19: cannot include "x": no such file`},
		{map[string]string{"x": "const N = 1\nvariables y[M]"}, `program T include "x" process P begin end`, `x:2:13: there is no constant M / the constants are N`},
		{map[string]string{"x": "const N ="}, `program T include "x"`, `x:1:10: expected an expression, found the end of the file`},
		{map[string]string{"x": "const N = \""}, `program T include "x"`, `x:1:11: the string does not end on its line`},
		{map[string]string{"x": "const\xff"}, `program T include "x"`, `x:1:6: the file is not UTF-8 text`},
		{map[string]string{"x": "program X"}, `program T include "x"`, `x:1:1: this is a program of its own / a file to include begins with const, variables, process, procedure, forbid, exists, forall, include`},
		{map[string]string{"x": "variables n"}, `program T include "x" variables n process P begin end`, `t.imp:1:33: n is a shared variable already / it is declared at x:1:11`},
		{map[string]string{"x": "variables n"}, `program T variables n include "x" process P begin end`, `x:1:11: n is a shared variable already / it is declared at 1:21`},
		{map[string]string{"x": "procedure p() begin l: skip; l: skip end"}, `program T include "x" process P begin end`, `x:1:30: label l is there twice in procedure p / the other one is at x:1:21`},
		{map[string]string{"x": "procedure p() begin z := 1 end"}, `program T include "x" process P begin p() end`, `x:1:21: z is not declared / declare it: shared ones with variables, those of a process with local`},
		{map[string]string{"x": `include "y"`, "y": "\n include \"x\""}, `program T include "x"`, `y:2:10: x includes itself: x includes y includes x`},
		{map[string]string{"t.imp": ``}, `program T include "t.imp"`, `t.imp:1:19: t.imp includes itself: t.imp includes t.imp`},
		{deep, `program T include "0"`, `31:1:9: more than 32 files that include one another`},
		{map[string]string{"x": strings.Repeat("/* */ ", 1<<20), "y": strings.Repeat("/* */ ", 2<<20)}, `program T include "x" include "y"`, `t.imp:1:31: more than 16 MiB are included`},
		{map[string]string{"x": "variables n", "y": `include "x"`}, `program T include "x" include "y" include "x" process P begin n := 1 end`, ""},
		{map[string]string{"x": "// nothing"}, `program T include "x" process P begin end`, ""},
	} {
		p, err := Parse(&program.Source{Name: "t.imp", Text: c.program}, nil, in(c.files))
		got := ""
		if d, ok := err.(*program.Diagnostic); ok {
			got = fmt.Sprintf("%s:%d:%d: %s", d.Source.Name, d.Pos.Line, d.Pos.Col, d.Msg)
			if d.Hint != "" {
				got += " / " + d.Hint
			}
			if d.Source.Name != "t.imp" && d.Pos.File != d.Source.Name {
				t.Errorf("%s: the place is in %q", got, d.Pos.File)
			}
		} else if err != nil {
			t.Fatal(err)
		}
		if got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.program, got, c.want)
		}
		if err == nil {
			if _, err := Parse(p.Source, nil); err != nil { // once more, from what it knows
				t.Errorf("%s: again: %v", c.program, err)
			}
		}
	}
	if _, err := Parse(&program.Source{Name: "t.imp", Text: `program T include "x"`}, nil); err == nil || !strings.Contains(err.Error(), "no files to include") {
		t.Error(err)
	}
}
