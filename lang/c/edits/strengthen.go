package edits

import (
	"strings"

	"github.com/fencepost-verifier/fencepost/internal/text"
	"github.com/fencepost-verifier/fencepost/lang/c/syntax"
	"github.com/fencepost-verifier/fencepost/program"
)

var (
	atomicCall    = text.NewPattern(`\b(?:atomic_\w+_explicit|__atomic_\w+)\s*\(`)
	relaxedOrder  = text.NewPattern(`^(?:memory_order_relaxed|__ATOMIC_RELAXED)$`)
	noAccess      = text.NewPattern(`fence|is_lock_free|clear|test_and_set`)
	twoOrders     = text.NewPattern(`compare_exchange`)
	atomicLoads   = text.NewPattern(`^(?:atomic_load_explicit|__atomic_load(?:_n)?)\b`)
	atomicStores  = text.NewPattern(`^(?:atomic_store_explicit|__atomic_store(?:_n)?)\b`)
	acquireOrders = uint(1)
	releaseOrders = uint(2)
)

// Strengthenings are ways to make a program order more: relaxed accesses that name their order
// get a stronger one, and fences of order acquire go where [Sites] has fences.
func Strengthenings(src *program.Source, opts syntax.Options) (all []program.Strengthening) {
	e := &editor{src: src}
	line, bol, place := 1, 0, 0
	for _, m := range atomicCall.FindAllStringIndex(src.Text, -1) {
		line += strings.Count(src.Text[bol:m[0]], "\n")
		bol = m[0]
		name := src.Text[m[0]:m[1]]
		args := argumentSpans(src.Text, m[1])
		if noAccess.MatchString(name) || len(args) == 0 {
			continue
		}
		last := args[len(args)-1]
		if twoOrders.MatchString(name) && len(args) > 1 {
			last = args[len(args)-2]
		}
		if !relaxedOrder.MatchString(src.Text[last[0]:last[1]]) {
			continue
		}
		site := program.Site{Thread: -1, State: -1, Statement: e.statement(m[0]),
			Pos: program.Position{Line: line, Col: m[0] - strings.LastIndexByte(src.Text[:m[0]], '\n')}}
		add := func(order string, orders uint, cost int) {
			if strings.HasPrefix(name, "__") {
				order = "__ATOMIC_" + strings.ToUpper(order)
			} else {
				order = "memory_order_" + order
			}
			site.Edits = []program.Edit{{From: last[0], To: last[1], Text: order}}
			all = append(all, program.Strengthening{Site: site, What: order, Instead: true, Place: place, Orders: orders, Cost: cost})
		}
		if !atomicStores.MatchString(name) {
			add("acquire", acquireOrders, 1)
		}
		if !atomicLoads.MatchString(name) {
			add("release", releaseOrders, 1)
		}
		if !atomicStores.MatchString(name) && !atomicLoads.MatchString(name) {
			add("acq_rel", acquireOrders|releaseOrders, 2)
		}
		place++
	}
	fence := "__atomic_thread_fence(__ATOMIC_ACQUIRE)"
	if strings.Contains(src.Text, "stdatomic.h") {
		fence = "atomic_thread_fence(memory_order_acquire)"
	}
	full := fenceFor(src.Text)
	for _, s := range Sites(src, opts) {
		for i := range s.Edits {
			s.Edits[i].Text = strings.Replace(s.Edits[i].Text, full, fence+";", 1)
		}
		all = append(all, program.Strengthening{Site: s, What: fence, Place: place, Orders: acquireOrders, Cost: 3})
		place++
	}
	return all
}

// argumentSpans are where the arguments of a call stand that begin at off; none where the call does
// not end.
func argumentSpans(text string, off int) (args [][2]int) {
	depth, from := 0, off
	add := func(to int) {
		arg := text[from:to]
		trimmed := strings.TrimSpace(arg)
		at := from + strings.Index(arg, trimmed)
		args = append(args, [2]int{at, at + len(trimmed)})
	}
	for i := off; i < len(text); i++ {
		switch text[i] {
		case '(', '[', '{':
			depth++
		case ',':
			if depth == 0 {
				add(i)
				from = i + 1
			}
		case ';', '"', '\'':
			return nil
		case ')', ']', '}':
			if depth--; depth < 0 {
				add(i)
				return args
			}
		}
	}
	return nil
}
