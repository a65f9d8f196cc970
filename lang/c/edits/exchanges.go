package edits

import (
	"strings"

	"github.com/fencepost-verifier/fencepost/internal/text"
	"github.com/fencepost-verifier/fencepost/program"
)

var atomicStore = text.NewPattern(`\b(?:atomic_store_explicit|__atomic_store_n)\s*\(`)

// Exchanges are the stores in the text of a program that name a memory order weaker than seq_cst,
// with the edits that make it that one, for which compilers have an exchange.
func Exchanges(src *program.Source) []program.Site {
	var sites []program.Site
	e := &editor{src: src}
	line, bol := 1, 0
	for _, m := range atomicStore.FindAllStringIndex(src.Text, -1) {
		line += strings.Count(src.Text[bol:m[0]], "\n")
		bol = m[0]
		args := argumentSpans(src.Text, m[1])
		if len(args) != 3 || args[2][0] == args[2][1] {
			continue
		}
		from, to := args[2][0], args[2][1]
		order := "memory_order_seq_cst"
		if strings.HasPrefix(src.Text[m[0]:], "__atomic") {
			order = "__ATOMIC_SEQ_CST"
		}
		if src.Text[from:to] == order {
			continue
		}
		col := m[0] - strings.LastIndexByte(src.Text[:m[0]], '\n')
		sites = append(sites, program.Site{Thread: -1, State: -1, Statement: e.statement(m[0]),
			Pos: program.Position{Line: line, Col: col}, Edits: []program.Edit{{From: from, To: to, Text: order}}})
	}
	return sites
}
