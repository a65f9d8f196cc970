package c_test

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/lang/c"
	"github.com/fencepost-verifier/fencepost/program"
)

// TestCalls calls every function of our headers with too few arguments, and with such as it does not expect: that is an error of the
// program, or none.
func TestCalls(t *testing.T) {
	t.Parallel()
	headers, err := filepath.Glob("syntax/include/*.h")
	if err != nil || len(headers) == 0 {
		t.Fatal(err, len(headers))
	}
	function := regexp.MustCompile(`\b([a-z]\w+)\(`)
	names := map[string]bool{}
	for _, h := range headers {
		text, err := os.ReadFile(h)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range function.FindAllStringSubmatch(string(text), -1) {
			names[m[1]] = true
		}
	}
	lists := []string{"0", "s", "&x", "&x, 0", "0, 0, 0"}
	for i, name := range slices.Sorted(maps.Keys(names)) {
		if testing.Short() && i%5 != 0 {
			continue
		}
		for _, args := range []string{"", lists[i%len(lists)]} {
			text := fmt.Sprintf("struct t { int a; } s; int x; int main(void) { %s(%s); return 0; }\n", name, args)
			_, err := c.Parse(&program.Source{Name: "a.c", Text: text}, c.Options{Unroll: 2})
			var d *program.Diagnostic
			if err != nil && (!errors.As(err, &d) || strings.Contains(d.Hint, "mistake in Fencepost")) {
				t.Errorf("%s(%s): %v", name, args, err)
			}
		}
	}
}
