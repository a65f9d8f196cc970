package imp

import (
	"cmp"
	"os"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/program"
)

// FuzzParse: no input makes Parse panic, and what it accepts is well formed.
func FuzzParse(f *testing.F) {
	f.Add(dekker)
	for _, c := range lowered {
		f.Add(declared + c.body + "\nend forbid deadlock")
	}
	for _, c := range errorCases {
		f.Add(c.text)
	}
	for _, c := range propertyCases {
		f.Add(propertyProgram + c.property)
	}
	for _, text := range documented(f) {
		f.Add(text)
	}
	f.Add(usesLock)
	f.Add("include \"fuzz\" include \"lock.imp\" variables z")
	f.Add("program P include \"word.imp\" include \"lock.imp\"; process Q begin word := any(0..WORKERS) end")
	f.Fuzz(func(t *testing.T, text string) {
		src := &program.Source{Name: "fuzz.imp", Text: text}
		files := in(map[string]string{"lock.imp": lockFile, "word.imp": "variables word", "fuzz": text})
		Outline(src, files)
		p, err := Parse(src, nil, files)
		if err != nil {
			d, ok := err.(*program.Diagnostic)
			if !ok || d.Source.Name != cmp.Or(d.Pos.File, src.Name) || d.Msg == "" || (strings.Contains(d.Msg, "%!") && !strings.Contains(text, "%!")) || p != nil {
				t.Fatalf("%#v, %v", err, p)
			}
			if !d.Pos.IsValid() || d.Pos.Line > strings.Count(d.Source.Text, "\n")+1 || d.Pos.Col > len(d.Source.Line(d.Pos.Line))+2 {
				t.Fatalf("%v is not in the text", d.Pos)
			}
			return
		}
		if err := wellFormed(p); err != nil {
			t.Fatal(err)
		}
	})
}

// documented are the programs in the reference page: its blocks marked imp.
func documented(t testing.TB) []string {
	page, err := os.ReadFile("../../docs/imp.md")
	if err != nil {
		t.Fatal(err)
	}
	var programs []string
	for i, block := range strings.Split(string(page), "```") {
		if info, text, ok := strings.Cut(block, "\n"); ok && i%2 == 1 && (info == "imp" || strings.HasPrefix(info, "imp ")) {
			programs = append(programs, text)
		}
	}
	return programs
}
