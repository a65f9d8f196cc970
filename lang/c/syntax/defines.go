package syntax

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/fencepost-verifier/fencepost/internal/text"
	"github.com/fencepost-verifier/fencepost/program"
)

// defines is the definitions of the user as a text.
func defines(src *program.Source, opts Options) string {
	var b strings.Builder
	for _, d := range opts.Defines {
		name, value, ok := strings.Cut(d, "=")
		if !ok {
			value = "1"
		}
		if !regexp.MustCompile(`^[A-Za-z_]\w*(\([\w, ]*\))?$`).MatchString(name) || strings.ContainsAny(value, "\n\\") {
			text.Fail(src, program.Position{}, "give it as NAME or NAME=VALUE", "cannot define %q", d)
		}
		fmt.Fprintf(&b, "#define %s %s\n", name, value)
	}
	sized := map[string]bool{}
	for _, m := range sizedOperation.FindAllStringSubmatch(src.Text, -1) {
		if sized[m[0]] {
			continue
		}
		sized[m[0]] = true
		base := m[1]
		switch base {
		case "__atomic_load", "__atomic_store", "__atomic_exchange", "__atomic_compare_exchange":
			base += "_n"
		}
		if result := sizedResult[m[2]]; !strings.Contains(base, "_bool_") && !strings.Contains(base, "_release") && !strings.Contains(base, "_store") && !strings.Contains(base, "_compare_exchange") {
			fmt.Fprintf(&b, "#define %s(...) ((%s)%s(__VA_ARGS__))\n", m[0], result, base)
			continue
		}
		fmt.Fprintf(&b, "#define %s %s\n", m[0], base)
	}
	return b.String()
}

// sizedOperation is an atomic operation of GCC with its number of bytes in its name, such as
// __sync_fetch_and_add_4. The pointer that it is given says as much, but the value that it gives is unsigned.
var sizedOperation = text.NewPattern(`\b(__(?:sync|atomic)_[a-z_]+)_([1248])\b`)

var sizedResult = map[string]string{"1": "unsigned char", "2": "unsigned short", "4": "unsigned int", "8": "unsigned long"}
