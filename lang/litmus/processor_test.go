package litmus_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// The instructions compute what a processor computes; see the file for what is
// in it.
func TestProcessor(t *testing.T) {
	data, err := os.ReadFile("testdata/processor.txt")
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for line := range strings.Lines(string(data)) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			lines = append(lines, line)
		}
	}
	if len(lines) == 0 || len(lines)%3 != 0 {
		t.Fatalf("%d lines", len(lines))
	}
	for i := 0; i < len(lines); i += 3 {
		init, code, want := lines[i], lines[i+1], lines[i+2]
		for _, typed := range []string{"uint64_t x", "uint32_t y", "uint16_t w", "uint8_t b", "uint32_t a[4]"} {
			name := strings.TrimSuffix(typed[strings.Index(typed, " ")+1:], "[4]")
			init = strings.Replace(init, name+"=", typed+"=", 1)
		}
		init = strings.ReplaceAll(init, " 0:", " uint64_t 0:")
		var b strings.Builder
		fmt.Fprintf(&b, "X86_64 processor\n{ 0:rdi=x; 0:rsi=a; %s }\nP0;\n", init)
		for n, in := range strings.Split(code, "; ") {
			if n >= 2 {
				fmt.Fprintf(&b, "L%d: ", n-2)
			}
			b.WriteString(in + ";\n")
		}
		fmt.Fprintf(&b, "L%d: ;\nlocations [x; y; w; b; a; 0:rax; 0:rbx; 0:rcx; 0:rdx; 0:r11;]\n", strings.Count(code, "; ")-1)
		if got := ends(t, b.String()).States; len(got) != 1 || got[0] != want {
			t.Errorf("%s\ngot  %q\nwant %q", b.String(), got, want)
		}
	}
}
