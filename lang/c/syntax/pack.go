package syntax

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/internal/text"
	"github.com/fencepost-verifier/fencepost/program"
)

// #pragma pack says how far members of the structures behind it are aligned at most. The parser does not know it, and the preprocessor tells of it
// without a word of where it stands among them: in the text that they read there is a declaration in its place, of a structure whose name has the number of
// what the pragma says.

var pragmaPack = text.NewPattern(`(?m)^[ \t]*#[ \t]*pragma[ \t]+pack[ \t]*\(([ \t\w,]*)\)[ \t]*(?://[^\n]*[^\n\\]|//|/\*[^*\n]*(?:\*+[^*/\n][^*\n]*)*\*+/[ \t]*)?\r?$`)

// packName is how the names of these structures begin.
const packName = "__fp_pack_"

// packed is a text with declarations in place of each #pragma pack that is one.
func (f *files) packed(text string) string {
	if !strings.Contains(text, "pack") {
		return text
	}
	return pragmaPack().ReplaceAllStringFunc(text, func(line string) string {
		says := pragmaPack.FindStringSubmatch(line)[1]
		if _, ok := packing(says, []packState{{}}); !ok {
			return line
		}
		i := slices.Index(f.packs, says)
		if i < 0 {
			i, f.packs = len(f.packs), append(f.packs, says)
		}
		return fmt.Sprintf("struct %s%d;", packName, i)
	})
}

// A packState is what is in force: what members are aligned to at most, in bytes, or 0 where nothing says so. Of what has been pushed it has the name as well
// that it was given.
type packState struct {
	most  int64
	label string
}

// packing is what has been pushed, and last what is in force, once a pragma has been read that says so much; false of what is none.
func packing(says string, states []packState) ([]packState, bool) {
	words := strings.FieldsFunc(says, func(r rune) bool { return r == ',' || r == ' ' || r == '\t' })
	top := &states[len(states)-1]
	verb := ""
	if len(words) > 0 && (words[0] == "push" || words[0] == "pop") {
		verb, words = words[0], words[1:]
	}
	label := ""
	if verb != "" && len(words) > 0 && (words[0][0] < '0' || words[0][0] > '9') {
		label, words = words[0], words[1:]
	}
	most := int64(-1) // nothing is said
	if len(words) == 1 {
		n, err := strconv.ParseInt(words[0], 10, 64)
		if err != nil || n < 0 || n > 16 || n&(n-1) != 0 {
			return states, false
		}
		most, words = n, nil
	}
	switch {
	case len(words) > 0:
		return states, false
	case verb == "push":
		top.label = label
		states = append(states, packState{most: top.most})
	case verb == "pop" && most < 0:
		for i := len(states) - 2; i >= 0; i-- {
			if label == "" || states[i].label == label {
				return states[:i+1], true
			}
		}
		return states, label == "" || len(states) == 1 // where there is none compilers do nothing, or take away the last one
	case verb == "pop":
		return states, false
	case most < 0:
		most = 0
	}
	if most >= 0 {
		states[len(states)-1].most = most
	}
	return states, true
}

// packedOf are the structures that a #pragma pack speaks of, and what their members are aligned to at most, in bytes.
func (f *files) packedOf(ast *cc.AST) map[*cc.StructOrUnionSpecifier]int64 {
	if f.packs == nil {
		return nil
	}
	packed := map[*cc.StructOrUnionSpecifier]int64{}
	states := []packState{{}}
	for l := ast.TranslationUnit; l != nil; l = l.TranslationUnit {
		inside := false // of a function or of a structure
		Walk(l.ExternalDeclaration, func(n cc.Node) bool {
			switch n := n.(type) {
			case *cc.FunctionDefinition:
				inside = true
			case *cc.StructOrUnionSpecifier:
				i, pragma := strings.CutPrefix(n.Token.SrcStr(), packName)
				fail := func(format string, args ...any) {
					p := n.Token.Position()
					text.Fail(f.at(p.Filename), program.Position{Line: p.Line, Col: 1}, "", format, args...)
				}
				switch {
				case pragma && inside:
					fail("not modelled: #pragma pack inside of a function or of a structure")
				case pragma:
					k, _ := strconv.Atoi(i)
					var ok bool
					if states, ok = packing(f.packs[k], states); !ok {
						fail("pops what has not been pushed")
					}
				case n.Case == cc.StructOrUnionSpecifierDef && states[len(states)-1].most > 0:
					packed[n] = states[len(states)-1].most
				}
				inside = true
			}
			return true
		})
	}
	return packed
}
