package edits_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/lang/c"
	"github.com/fencepost-verifier/fencepost/lang/c/edits"
	"github.com/fencepost-verifier/fencepost/lang/c/syntax"
	"github.com/fencepost-verifier/fencepost/program"
)

func edited(text string, sites []program.Site) string {
	var edits []program.Edit
	for _, s := range sites {
		edits = append(edits, s.Edits...)
	}
	return program.Revise(text, edits).Text
}

func TestSites(t *testing.T) {
	const fence = "__sync_synchronize();"
	for _, x := range []struct{ name, text, want string }{
		{"lines", "int x;\nint main(void)\n{\n\tx = 1;\n\tint y = x;\n}\n",
			"int x;\nint main(void)\n{\n\tF\n\tx = 1;\n\tF\n\tint y = x;\n\tF\n}\n"},
		{"one line", "int x; int main(void) { x = 1; return x; }", "int x; int main(void) { F x = 1; F return x; F }"},
		{"nested", "int x;\nint main(void) {\n  if (x) {\n    x = 2;\n  } else\n    x = 3;\n}\n",
			"int x;\nint main(void) {\n  F\n  if (x) {\n    F\n    x = 2;\n    F\n  } else\n    x = 3;\n  F\n}\n"},
		{"empty", "int main(void) {}", "int main(void) {F }"},
		{"macro", "#define TWICE(a) { a; a; }\nint x;\nint main(void) {\n\tTWICE(x = 1)\n}\n",
			"#define TWICE(a) { a; a; }\nint x;\nint main(void) {\n\tF\n\tTWICE(x = 1)\n\tF\n}\n"},
		{"of the kernel", "#include <linux/atomic.h>\nint main(void) {\n\treturn 0;\n}\n", "#include <linux/atomic.h>\nint main(void) {\n\tsmp_mb();\n\treturn 0;\n\tsmp_mb();\n}\n"},
		{"statement expression", "int main(void) {\n\tint x = ({ int y = 1; y; });\n}\n",
			"int main(void) {\n\tF\n\tint x = ({ int y = 1; y; });\n\tF\n}\n"},
	} {
		t.Run(x.name, func(t *testing.T) {
			got := edited(x.text, edits.Sites(&program.Source{Name: "a.c", Text: x.text}, syntax.Options{}))
			if want := strings.ReplaceAll(x.want, "F", fence); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// TestSitesOfDefined: what the preprocessor leaves out without a definition has sites with it.
func TestSitesOfDefined(t *testing.T) {
	src := &program.Source{Name: "a.c", Text: "int x;\nint main(void)\n{\n#ifdef MORE\n\tx = 1;\n#endif\n\treturn x;\n}\n"}
	without, with := edits.Sites(src, syntax.Options{}), edits.Sites(src, syntax.Options{Defines: []string{"MORE"}})
	if len(without) != 2 || len(with) != 3 {
		t.Errorf("%d sites without, %d with", len(without), len(with))
	}
}

func TestFences(t *testing.T) {
	for _, x := range []struct{ text, want string }{
		{"void f(void) {\n\ta();\n\tatomic_thread_fence(memory_order_seq_cst);\n\tb();\n}\n", "void f(void) {\n\ta();\n\tb();\n}\n"},
		{"if (x)\n\tsmp_mb();\ny();", "if (x)\n\t(void)0;\ny();"},
		{"a(); __sync_synchronize(); b();", "a(); (void)0; b();"},
		{"atomic_thread_fence(memory_order_release);", "atomic_thread_fence(memory_order_release);"},
	} {
		if got := edited(x.text, edits.Fences(&program.Source{Name: "a.c", Text: x.text})); got != x.want {
			t.Errorf("%s\nbecomes\n%s\nwant\n%s", x.text, got, x.want)
		}
	}
}

func TestExchanges(t *testing.T) {
	for _, x := range []struct{ text, want string }{
		{"atomic_store_explicit(&x, f(1, 2), memory_order_release);", "atomic_store_explicit(&x, f(1, 2), memory_order_seq_cst);"},
		{"atomic_store_explicit(&x, 1, memory_order_seq_cst);", "atomic_store_explicit(&x, 1, memory_order_seq_cst);"},
		{"__atomic_store_n(&x[i], 1, ORDER);\natomic_store_explicit( &y , 2 , O );", "__atomic_store_n(&x[i], 1, __ATOMIC_SEQ_CST);\natomic_store_explicit( &y , 2 , memory_order_seq_cst );"},
		{"atomic_store_explicit(x", "atomic_store_explicit(x"},
	} {
		if got := edited(x.text, edits.Exchanges(&program.Source{Name: "a.c", Text: x.text})); got != x.want {
			t.Errorf("%s\nbecomes\n%s\nwant\n%s", x.text, got, x.want)
		}
	}
}

// TestSitesEverywhere puts a fence at every site, and takes every fence out: what comes of
// it has to be a program.
func TestSitesEverywhere(t *testing.T) {
	var files []string
	for _, pattern := range []string{"../testdata/run/*.c", "../../../examples/c/*.c"} {
		fs, err := filepath.Glob(pattern)
		if err != nil || len(fs) == 0 {
			t.Fatal("no programs", err)
		}
		files = append(files, fs...)
	}
	opts := c.Options{ReadFile: os.ReadFile, Unroll: 2}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		src := &program.Source{Name: file, Text: string(text)}
		if opts.Mapping = c.Xchg; strings.HasPrefix(src.Text, "// lkmm") { // which alone knows what is in it
			opts.Mapping = c.Kernel
		}
		sites := edits.Sites(src, syntax.Options{ReadFile: opts.ReadFile})
		if len(sites) == 0 {
			t.Errorf("%s: no site", file)
		}
		for what, s := range map[string][]program.Site{"with fences": sites, "without": edits.Fences(src)} {
			if len(s) == 0 { // it is the program, which others read
				continue
			}
			p, err := c.Parse(&program.Source{Name: file, Text: edited(src.Text, s)}, opts)
			if err == nil {
				err = program.Sanity(p)
			}
			if err != nil {
				t.Error(fmt.Errorf("%s: %w", what, err))
			}
		}
	}
}
