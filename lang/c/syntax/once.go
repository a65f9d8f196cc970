package syntax

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/fencepost-verifier/fencepost/internal/text"
	"github.com/fencepost-verifier/fencepost/program"
)

var pragmaOnce = text.NewPattern(`(?m)^[ \t]*#[ \t]*pragma[ \t]+once\b.*$`)

// onceOnly marks the name of a header that is included by its [files.guard].
const onceOnly = "\x02"

// guard is what the preprocessor, which does not know the pragma, is to read in place of a header that is to be included once: it
// is included, by a name with that mark, where a macro of its own is not defined yet. It is empty for others. Headers may
// include each other in a circle, and are read again when what is preprocessed is parsed.
func (f *files) guard(shown, name, header string) string {
	at := pragmaOnce.FindStringSubmatchIndex(header)
	if at == nil || strings.Contains(shown, onceOnly) || strings.LastIndex(header[:at[0]], "/*") > strings.LastIndex(header[:at[0]], "*/") {
		return ""
	}
	name = path.Clean(name)
	if _, ok := f.once[name]; !ok {
		f.once[name] = len(f.once)
	}
	return fmt.Sprintf("#ifndef __fp_once_%d\n#define __fp_once_%[1]d\n#include \"%s%s\"\n#endif\n", f.once[name], onceOnly, path.Base(name))
}

var includeLine = text.NewPattern(`(?m)^[ \t]*#[ \t]*include(?:_next)?[ \t]*["<]([^">\n]+)[">]`)

// circle is where a header includes itself, by way of others or not, or nil.
func (f *files) circle() *program.Diagnostic {
	var visit func(name string, above []string) *program.Diagnostic
	seen := map[string]bool{}
	visit = func(name string, above []string) *program.Diagnostic {
		seen[name] = true
		above = append(above, name)
		for _, m := range includeLine.FindAllStringSubmatchIndex(f.text[name], -1) {
			to := path.Join(path.Dir(name), f.text[name][m[2]:m[3]])
			if slices.Contains(above, to) {
				line := 1 + strings.Count(f.text[name][:m[2]], "\n")
				return &program.Diagnostic{Source: f.at(name), Pos: program.Position{Line: line, Col: m[2] - strings.LastIndexByte(f.text[name][:m[2]], '\n')},
					Msg: fmt.Sprintf("%q is included without end", f.text[name][m[2]:m[3]]), Hint: "#pragma once at its beginning includes it once"}
			}
			if f.text[to] != "" && !seen[to] {
				if d := visit(to, above); d != nil {
					return d
				}
			}
		}
		return nil
	}
	return visit(f.main.Name, nil)
}
