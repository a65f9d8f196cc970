package c

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
		from, to, ok := lastArgument(src.Text, m[1])
		if !ok {
			continue
		}
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

// lastArgument is where the last one of the three arguments of a call stands that begin at off.
func lastArgument(text string, off int) (from, to int, ok bool) {
	depth, commas := 0, 0
	for i := off; i < len(text); i++ {
		switch text[i] {
		case '(', '[', '{':
			depth++
		case ',':
			if depth == 0 {
				commas++
				from = i + 1
			}
		case ';', '"', '\'':
			return 0, 0, false
		case ')', ']', '}':
			if depth--; depth >= 0 {
				continue
			}
			arg := text[from:i]
			trimmed := strings.TrimSpace(arg)
			from += strings.Index(arg, trimmed)
			return from, from + len(trimmed), commas == 2 && trimmed != ""
		}
	}
	return 0, 0, false
}
