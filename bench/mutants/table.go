package main

// A mutant is a mistake: in a file, old becomes new. It is killed by a test of one of the packages.
type mutant struct {
	what     string // what is wrong then
	file     string
	old, new string
	tests    string // packages, the likeliest first
	run      string // of their tests; "": all
}

// mutants lists them by room.
var mutants = []mutant{
	// The transition relation.
	{"a flush from the wrong end", "abstract/fifo.go", "return c.Pairs[0] }", "return c.Pairs[len(c.Pairs)-1] }", "./abstract ./explore", ""},
	{"the newest store is dropped", "abstract/fifo.go", "n := copy(c.Pairs, c.Pairs[1:])", "n := len(c.Pairs) - 1", "./abstract ./explore", ""},
	{"a load that ignores the buffer", "abstract/system.go", "if s.Buf[t].Pairs[i].Cell == c {", "if false && s.Buf[t].Pairs[i].Cell == c {", "./abstract ./explore", ""},
	{"a load reads the oldest pair", "abstract/system.go", "for i := len(s.Buf[t].Pairs) - 1; i >= 0; i-- {", "for i := range s.Buf[t].Pairs {", "./abstract ./explore", ""},
	{"a load passes the lock of another", "abstract/system.go", "case program.Load:\n\t\tok = s.Lock < 0 || s.Lock == t", "case program.Load:\n\t\tok = true", "./abstract ./explore", ""},
	{"a fence that waits for nothing", "abstract/system.go", "ok = !a.full || s.Buf[t].Empty()", "ok = true", "./abstract ./explore", ""},
	{"a lock that is taken with stores in the buffer", "abstract/system.go", "ok = s.Buf[t].Empty() && s.Lock < 0", "ok = s.Lock < 0", "./abstract ./explore", ""},
	{"anybody gives back the lock", "abstract/system.go", "ok = s.Buf[t].Empty() && s.Lock == t", "ok = s.Buf[t].Empty() && s.Lock >= 0", "./abstract ./explore", ""},
	{"an atomic block with stores in the buffer", "abstract/system.go", "ok = s.Buf[t].Empty() && (s.Lock < 0 || s.Lock == t)", "ok = s.Lock < 0 || s.Lock == t", "./abstract ./explore", ""},
	{"a block that is not possible leaves its stores", "abstract/system.go", "if a.value(regs) == 0 {\n\t\t\t\ts.undo(t)\n\t\t\t\treturn Disabled", "if a.value(regs) == 0 {\n\t\t\t\treturn Disabled", "./abstract ./explore", ""},
	{"registers do not wrap around", "abstract/system.go", "regs[e.reg] = e.typ.Wrap(e.value(regs))", "regs[e.reg] = e.value(regs)", "./abstract ./explore", ""},
	{"a free choice has one value too few", "abstract/system.go", "regs[e.reg] = e.typ.Wrap(e.lo + ev.Choice)", "regs[e.reg] = e.typ.Wrap(e.lo)", "./abstract ./explore", ""},
	{"a store of several cells reaches memory in part", "abstract/wide.go", "Contents, _ int) []Pair { return c.Pairs[:c.end(0)] }", "Contents, _ int) []Pair { return c.Pairs[:1] }", "./abstract ./explore", ""},
	{"stores of several cells that meet change places under PSO", "abstract/wide.go", "c.Pairs[i].Cell == Barrier || meet(c.Pairs[i:end], ps)", "c.Pairs[i].Cell == Barrier", "./abstract ./explore", ""},
	{"a load of several cells ignores the buffer", "abstract/wide.go", "regs[a.reg] = a.typ.Wrap(x.read(s, t, c))\n\t\tdefault:", "regs[a.reg] = a.typ.Wrap(s.Mem[c])\n\t\tdefault:", "./abstract ./explore", ""},
	{"a store fence is none under PSO", "abstract/pso.go", "c.Pairs[n-1].Cell != Barrier {\n\t\tc.Pairs = append", "false {\n\t\tc.Pairs = append", "./abstract ./explore", ""},
	{"flushes pass a barrier", "abstract/pso.go", "\t\tif p.Cell == Barrier {\n\t\t\tbreak\n\t\t}\n", "\t\tif p.Cell == Barrier {\n\t\t\tcontinue\n\t\t}\n", "./abstract ./explore", ""},
	{"a flush happens while another holds the lock", "abstract/system.go", "if x.immediate || s.Buf[t].Empty() || s.Lock >= 0 && s.Lock != t {", "if x.immediate || s.Buf[t].Empty() {", "./abstract ./explore", ""},

	// Expressions and types.
	{"a shift of a negative number brings zeros", "program/expr.go", "return x >> uint64(y)", "return int64(uint64(x) >> uint64(y))", "./program ./explore", ""},
	{"signed comparison of unsigned numbers", "program/expr.go", "return Bool(uint64(x) < uint64(y))", "return Bool(x < y)", "./program ./encode ./lang/c", ""},
	{"the remainder by 0 is 0", "program/expr.go", "case Rem:\n\t\tif y == 0 {\n\t\t\treturn x\n", "case Rem:\n\t\tif y == 0 {\n\t\t\treturn 0\n", "./program ./encode ./encode/circuit", ""},
	{"less is less or equal", "program/expr.go", "return Bool(x < y)\n", "return Bool(x <= y)\n", "./program ./explore", ""},
	{"unsigned types keep the sign", "program/program.go", "return int64(uint64(v) << s >> s)", "return v << s >> s", "./program ./explore", ""},

	// Judging.
	{"a forbidden moment is not seen", "replay/judge.go", "if j.conds[i](s) != 0 {", "if j.conds[i](s) > 1 {", "./replay ./explore", ""},
	{"the filter lets everything pass", "replay/judge.go", "return j.filter == nil || j.filter(s) != 0", "return true", "./replay ./explore ./engine", ""},
	{"a final state is a deadlock", "replay/judge.go", "if !final && !j.x.GivenUp(s) && j.x.Stuck(s) {", "if !j.x.GivenUp(s) && j.x.Stuck(s) {", "./replay ./explore", ""},
	{"who gives up is in a deadlock", "replay/judge.go", "if j.deadlock < 0 || j.x.GivenUp(s) {", "if j.deadlock < 0 {", "./replay ./explore ./engine", ""},
	{"a run may take a step from elsewhere", "replay/replay.go", "if e.From != s.PC[ev.Thread] {", "if false && e.From != s.PC[ev.Thread] {", "./replay .", ""},
	{"a run may violate nothing", "replay/replay.go", "\tif pr == nil {\n\t\treturn errors.New(\"the run violates nothing\")\n\t}\n", "\tif pr == nil && len(run.Steps) > 1000 {\n\t\treturn errors.New(\"the run violates nothing\")\n\t}\n\tif pr == nil {\n\t\tpr = &program.Property{}\n\t}\n", "./replay .", ""},
	{"a saved run is believed about memory", "replay/saved.go", "ok && v != w {", "ok && v != w && false {", ".", "Replay"},
	{"a saved run is believed about what it shows", "replay/saved.go", "if s.Text != \"\" && s.Text != run.Violation.Text {", "if s.Text == \"?\" {", ".", "Replay"},
	{"a saved race may be anywhere in the run", "datarace/saved.go", "case race.Second.Step != len(run.Steps)-1:", "case race.Second.Step < 0:", ".", "Replay"},
	{"a saved race is one under any model", "datarace/saved.go", "if s.Model != memory.SC {", "if s.Model == memory.Model(\"\") {", ".", "Replay"},
	{"a saved run hangs where one thread waits", "replay/hang.go", "if !h.waits(s, &waits) {", "if h.waits(s, &waits); false {", ".", "Replay"},
	{"a saved run hangs with stores in the buffers", "replay/hang.go", "if x.Flushes(s, t) > 0 || !s.Buf[t].Empty() {\n\t\t\treturn false", "if x.Flushes(s, t) > 0 || !s.Buf[t].Empty() {\n\t\t\tcontinue", "./replay ./explore .", ""},
	{"who changes memory alone hangs", "replay/hang.go", "!slices.Equal(h.try.Mem, s.Mem) || !h.drain(s, t)) {", "!h.drain(s, t)) {", "./replay ./explore .", ""},
	{"who changes memory by a flush alone hangs", "replay/hang.go", "abstract.Flush})\n\t\tif !slices.Equal(h.try.Mem, s.Mem) {", "abstract.Flush})\n\t\tif false {", "./replay ./explore .", ""},
	{"who goes on for ever, as it should, does not count", "replay/circle.go", "case c.changes[t]:", "case false:", "./explore ./explore/trust", "Hangs"},
	{"a circle that can be left", "replay/knots.go", "leave = leave || leaves[j]", "leave = leave && leaves[j]", "./explore ./explore/trust", "Hangs"},
	{"who may give up hangs", "replay/hang.go", "h.x.Ended(h.try, t) || h.x.GivenUp(h.try) ||", "h.x.Ended(h.try, t) ||", "./replay ./explore ./engine .", ""},

	// Reductions.
	{"an eager reduction: loads of what others write are local", "explore/reduce/persistent.go", "return !locks && unwritten(&e.Cmd)", "return !locks || unwritten(&e.Cmd)", "./explore/reduce ./explore", ""},
	{"an eager reduction: stores to what others access are local under SC", "explore/reduce/persistent.go", "return buffered || !locks && !slices.ContainsFunc", "return buffered || !locks || !slices.ContainsFunc", "./explore/reduce ./explore", ""},
	{"an eager reduction: what properties see is local", "explore/reduce/persistent.go", "if v.Edge(ti, e) {", "if false && v.Edge(ti, e) {", "./explore/reduce ./explore", ""},
	{"a thread is followed round a cycle", "explore/reduce/persistent.go", "\t\tflow.BreakCycles(t, out, local)\n", "", "./explore/reduce ./explore", ""},
	{"a disabled fence counts as local", "explore/reduce/persistent.go", "Cmd.Op == program.Fence {\n\t\t\t\t\tn = -1", "Cmd.Op == program.Fence {\n\t\t\t\t\tn = 0", "./explore/reduce ./explore", ""},
	{"a flush of a shared cell is local", "explore/reduce/persistent.go", "return r.Private(i) == ti && !v.Cells[i] }", "return !v.Cells[i] }", "./explore/reduce ./explore", ""},
	{"a lost backtrack point", "explore/traces/source.go", "n.backtrack[choice] = true", "n.backtrack[choice] = n.backtrack[choice]", "./explore/traces", ""},
	{"sleepers are not woken up", "explore/traces/source.go", "if z.proc != e.proc && !dependent(&z.foot, &e.foot, r.flushedBy) {", "if z.proc != e.proc {", "./explore/traces", ""},
	{"a lost backtrack point of dpor", "explore/traces/dpor.go", "if n.enabled[p] {\n\t\tn.backtrack[p] = true\n\t\treturn", "if n.enabled[p] {\n\t\treturn", "./explore/traces", ""},
	{"races with a lock are not reversed", "explore/traces/source.go", "if k := r.pending(&r.scratch, p); k >= 0 {", "if k := r.pending(&r.scratch, p); k > len(r.events) {", "./explore/traces", ""},

	// Models.
	{"a dropped axiom: no coherence under TSO", "memory/tso.cat", "acyclic po-loc | com as coherence", "(* gone *)", "./memory ./explore/graphs ./encode", ""},
	{"an order that a model takes need not extend its base", "memory/orders.go", "l.base.Has(g, h) && l.twins(e, h)", "l.base.Has(g, h) && l.twins(e, h) && l.k > 0", "./memory ./lang/litmus/cycles", ""},
	{"the solver's orders are not transitive", "encode/orders.go", "if k != i && !f.IsFalse(r[j*n+k]) {", "if k > i && j > k && !f.IsFalse(r[j*n+k]) {", "./lang/litmus/cycles", ""},
	{"a dropped axiom: atomicity under TSO", "memory/tso.cat", "empty rmw & (fre; coe) as atomicity", "(* gone *)", "./memory ./explore/graphs ./encode", ""},
	{"a missing from-read under TSO", "memory/tso.cat", "(rfe | co | fr); whole", "(rfe | co); whole", "./memory ./explore/graphs ./encode", ""},
	{"internal reads-from orders under TSO", "memory/tso.cat", "(rfe | co | fr); whole", "(rf | co | fr); whole", "./memory ./explore/graphs ./encode", ""},
	{"a fence that orders nothing under TSO", "memory/tso.cat", "let fence = po; [MFENCE]; po | ", "let fence = ", "./memory ./explore/graphs ./encode", ""},
	{"stores out of order under TSO", "memory/tso.cat", "let ppo = (po & M * M) \\ W * R", "let ppo = po & R * M", "./memory ./explore/graphs ./encode", ""},
	{"a missing from-read under SC", "memory/sc.cat", "let com = rf | co | fr", "let com = rf | co", "./memory ./explore/graphs ./encode", ""},
	{"sfence orders nothing under PSO", "memory/pso.cat", "let ghb = ppo | full-fence | store-fence |", "let ghb = ppo | full-fence |", "./memory ./explore/graphs ./encode", ""},
	{"acquire orders nothing on Arm", "memory/armv8.cat", "\n  | [A | Q]; po\n", "\n", "./memory ./suite ./explore/trust", ""},
	{"ra has no fences", "memory/ra.cat", "acyclic [full]; (hb | hb; eco; hb); [full] as fences", "(* gone *)", "./memory ./explore/trust ./selftest", ""},
	{"a counter is read beside additions that have no order", "explore/trust/ordered.go", "seen != nil && seen.has(a)", "(true || seen.has(a))", "./explore/trust", "Additions"},
	{"a counter is set beside additions that have no order", "explore/trust/ordered.go", "x.ahead(a).has(w)", "true", "./explore/trust", "Additions"},
	{"who has taken a mutex ahead of another is driven out", "explore/trust/visit.go", "if ev.ahead {", "if false {", "./explore/trust", "Mutexes"},
	{"nobody is driven out by who stands before a mutex", "explore/trust/mutex.go", "; x.locks(t, stop) {", "; false && x.locks(t, stop) {", "./explore/trust", "Mutexes"},
	{"a mutex may be given back by anybody", "explore/trust/mutex.go", "case now != held || gives < 0:\n\t\t\t\treturn false\n", "", "./explore/trust", "Mutexes"},
	{"a store comes between the accesses of an older block", "explore/trust/once.go", "\t\tc.into(g, a)\n", "", "./explore/trust", "Sections|Brute"},
	{"what a block has read is not before it", "explore/trust/buffers.go", "case t == none || e.index < b.all[t]:\n\t\treturn\n\tcase e.section:\n\t\t_, last := block(g, e)\n\t\tb.all[t] = last + 1\n\t\treturn\n", "case t == none || e.index < b.all[t]:\n\t\treturn\n", "./explore/trust", "Sections|Brute"},
	{"sync of Power is no fence of ra", "explore/trust/class.go", "\"sync\", ", "", "./selftest", "Fenced"},

	// Executions along dependencies.
	{"a write is offered to reads from the wrong one on", "explore/graphs/delay.go", "\t\t\tnext := i + 1\n\t\t\tall = append(all, child{int32(i), n, func(u *unfolder, n *unfolding) { u.serve(n, w, next) }})", "\t\t\tall = append(all, child{int32(i), n, func(u *unfolder, n *unfolding) { u.serve(n, w, i) }})", "./explore/graphs", "Check|Delay"},
	{"a read that was not to read from a write is offered it again", "explore/graphs/delay.go", "next := i + 1\n", "next := 0\n", "./explore/graphs", "Check|Delay"},
	{"no write is expected of a thread that has not come to it", "explore/graphs/delay.go", "\t\tif u.mayWrite[k][t.pc][h.cell] {\n\t\t\treturn true", "\t\tif u.mayWrite[k][t.pc][h.cell] {\n\t\t\treturn false", "./explore/graphs", "Delay"},
	{"what a thread reads of its own exchange waits for that on Arm, too", "explore/graphs/delay.go", "return u.def.Model == memory.ARMv8 && slices", "return u.def.Model == memory.Power && slices", "./explore/graphs", "Forwards"},
	{"a thread that has met the bound stands before what it has done", "explore/graphs/delay.go", "h.hidden && h.source != none &&", "h.source != none &&", "./explore/graphs", "Hangs"},
	{"a thread that cannot take a block is in no execution", "explore/graphs/runner.go", "if before != nil && len(ways) > 0 && before", "if before != nil && len(ways) > 99 && before", "./explore/graphs", "Check|Hangs"},
	{"parts of the tree do not add up", "explore/graphs/tree.go", "\tu.share /= float64(len(all))\n", "", "./explore/graphs", "Fraction"},
	{"workers ask other axioms of parts", "explore/graphs/tree.go", "u.part = t.Of.asked.Like()", "_ = u.part", "./explore/graphs", "Workers"},
	{"what is found first is what some worker finds first", "explore/crew/crew.go", "if c.best == nil || slices.Compare(path, c.best) < 0 {", "if c.best == nil {", "./explore/graphs ./explore/trust", "Workers|Crew"},
	{"what comes before what is found is not looked at", "explore/crew/crew.go", "slices.Compare(path, c.best) >= 0", "slices.Compare(path, c.best) < 0", "./explore/graphs ./explore/trust", "Workers|Crew"},
	{"who waits goes by what memory was at first", "explore/graphs/check.go", "if w := ws[len(ws)-1]; w >= 0 {", "if w := ws[0]; w >= 0 {", "./explore/graphs", "Hangs"},
	{"a program hangs where an assertion fails", "explore/graphs/check.go", "\t\tif j.hang != nil && c.Kind == program.Assertion {\n\t\t\treturn\n\t\t}\n", "", "./explore/graphs", "Hangs"},
	{"a part stands for itself alone in an estimate", "explore/graphs/estimate.go", "w.next[i].weight += w.of; w.rng", "w.rng", "./explore/graphs", "Estimates"},
	{"the last of like parts stands for all", "explore/graphs/estimate.go", "w.rng.Float64()*w.next[i].weight < w.of", "w.rng != nil", "./explore/graphs", "Estimates"},

	// Graphs without load buffering.
	{"of a like thread that began earlier half a read-modify-write goes", "explore/trust/alike.go", "before = es[i] //", "_ = es[i] //", "./explore/trust", "AlikeLater"},
	{"half of a compare-and-swap is kept without its read", "explore/trust/visit.go", "return e <= r || e == a || before.has(ev) }, r)", "return e <= r || e == a || before.has(ev) || ev.half && ev.kind == write && ev.cell != old.events[a].cell }, r)", "./explore/trust", "Brute|Mutants|Counts"},

	// Formulas and solver.
	{"a load may pass a load, as a formula", "encode/order.go", "if f.opts.Model == memory.SC || a.kind != storeItem {\n\t\treturn f.True", "if f.opts.Model == memory.SC {\n\t\treturn f.True", "./encode ./encode/bmc ./engine", ""},
	{"stores pass each other under TSO, as a formula", "encode/order.go", "\t\tif f.opts.Model == memory.TSO {\n\t\t\treturn f.True\n\t\t}\n\t\treturn f.storesInOrder(a, b)", "\t\treturn f.storesInOrder(a, b)", "./encode ./encode/bmc ./engine", ""},
	{"what is computed of may name a thread", "explore/reduce/colours.go", "if slices.ContainsFunc(w.opaque, is) {", "if false {", "./explore", "Colours"},
	{"other threads may know who is who", "explore/reduce/colours.go", "if is(u.place) && c.of(u.a) != u.b {", "if false && is(u.place) {", "./explore", "Colours"},
	{"properties may name a thread", "explore/reduce/colours.go", "return c, !said(p.Filter) && !", "return c, true || !", "./explore", "Colours"},
	{"addresses may name a thread", "explore/reduce/colours.go", "\t\tw.compare(t, ca.Addr, cb.Addr)\n", "", "./explore", "Changed"},
	{"others may begin with a name", "explore/reduce/colours.go", "w.uses = append(w.uses, use{w.first[t] + i, reg.Init, reg.Init})", "_, _ = i, reg", "./explore", "Colours"},
	{"names of several types are copied", "explore/reduce/colours.go", "if w.types[place] != *typ {", "if false {", "./explore", "Colours"},
	{"names need not fit", "explore/reduce/colours.go", "if typ.Wrap(v[0]) != v[0] || typ.Wrap(v[1]) != v[1] {", "if v[0] == v[1] {", "./explore", "Changed"},
	{"two names may be one for another thread", "explore/reduce/colours.go", "if c.of(u.a) == u.a && c.of(u.b) == u.b {", "if true {", "./explore", "Colours"},
	{"names of one are computed into", "explore/reduce/colours.go", "\tw.opaque = append(w.opaque, place)\n", "", "./explore", "Colours"},
	{"the filter may tell threads apart", "explore/reduce/symmetry.go", "filter == nil || id.canonical(sys, filter) == x.canonical(sys, filter)", "true", "./explore", "Changed"},
	{"others know what they have waited for", "explore/reduce/symmetry.go", "last.Op != program.Assign || ", "", "./explore", "Others"},
	{"others store what they like", "explore/reduce/symmetry.go", "!sameExpr(body[i].Value, first.Value) || ", "", "./explore", "Others"},
	{"names in buffers stay", "explore/reduce/symmetry.go", "p.Value = x.inCell(p.Cell, p.Value)", "_ = p", "./explore", "Colours"},
	{"at first threads are named otherwise", "explore/reduce/symmetry.go", "x.inCell(c, r.Cells[c].Init) != r.Cells[d].Init {", "false {", "./explore", "Colours"},
	{"others may have to do with what is a thread's own", "explore/reduce/symmetry.go", "return slices.Equal(was, is)", "return true || slices.Equal(was, is)", "./explore", "Others"},
	{"waits for what is 0 again", "explore/reduce/gather.go", "return c.Op == program.Load || ok && v != 0", "return c.Op == program.Load || ok && v == v", "./explore", "Gather"},
	{"waits in states that properties are about", "explore/reduce/gather.go", "if w.apart(i, q, stays) {", "if stays < 0 {", "./explore", "Gather"},
	{"starts that somebody looks at", "explore/reduce/gather.go", " && w.unseen(int64(addr))", "", "./explore", "Gather"},
	{"a start is any store", "explore/reduce/gather.go", " && w.starts[int64(addr)]:", ":", "./explore", "Gather"},
	{"who starts at once waits at once", "explore/reduce/gather.go", "if kinds[n] != kinds[e] {", "if false {", "./explore", "Gather"},
	{"who comes from elsewhere is forgotten", "explore/reduce/gather.go", " || into[q] != 1", "", "./explore", "Gather"},
	{"an exchange of threads with other edges", "explore/reduce/symmetry.go", "ea.From != eb.From || ea.To != eb.To", "false", "./explore", "Different"},
	{"a wait whose result is used", "explore/reduce/gather.go", "if found && d != c {", "if false {", "./explore", "Gather"},
	{"like threads have commands that are not alike", "encode/symmetry.go", "x.invariant() && !slices.ContainsFunc(pairs, func(p commands) bool { return !x.check(&p) })", "x.invariant()", "./encode/bmc", ""},
	{"like threads begin otherwise", "encode/symmetry.go", "x.guess(pairs) && x.initially() &&", "x.guess(pairs) &&", "./encode/bmc", ""},
	{"properties tell like threads apart", "encode/symmetry.go", "same(p.Filter) == exchanged(p.Filter) && ok", "true", "./encode/bmc", ""},
	{"items with ranks come in the order of like threads", "encode/symmetry.go", "f.hasLock || f.rank != nil ||", "f.hasLock ||", "./encode/bmc", ""},
	{"coherence need not be transitive", "encode/coherence.go", "f.Clause(-ab, -bc, ac)", "f.Clause(-ab, -bc, ac, -ac)", "./encode/bmc", ""},
	{"what comes first implies that less does", "encode/edges.go", "true) {\n\t\tf.Clause(-l, g.lits[[2]int{a.id, x}])", "true) {\n\t\tf.Clause(l, -g.lits[[2]int{a.id, x}])", "./encode ./encode/bmc ./engine", ""},
	{"a fixed edge of the order is not told to the solver", "encode/edges.go", "\tif !g.above[to].has(from) {\n\t\tg.edge(from, to, always)\n", "\tif !g.above[to].has(from) {\n", "./encode ./encode/bmc ./engine", ""},
	{"the unwinding assertion is forgotten", "encode/bmc/deepen.go", "return d.run(ctx, ask, d.complete)", "return d.run(ctx, ask, func(context.Context) (bool, error) { return true, nil })", "./encode/bmc ./engine", ""},
	{"what solvers share is a literal short", "solver/cdcl/share.go", "append([]Lit(nil), lits...)", "append([]Lit(nil), lits[1:]...)", "./solver/cdcl", "Calls"},
	{"a learnt clause loses a literal", "solver/cdcl/analyze.go", "if s.vars[l>>1].reason == 0 || !s.redundant(l, levels) {", "if s.vars[l>>1].reason == 0 {", "./solver/cdcl ./solver", ""},
	{"a conflict of the order theory is not seen", "solver/cdcl/propagate.go", "if cycle := s.orders.update(s); cycle != nil {", "if cycle := s.orders.update(s); cycle != nil && len(cycle) < 3 {", "./solver/cdcl ./solver", ""},
	{"a clause that is false is passed over", "solver/cdcl/propagate.go", "if b < 0 {\n", "if b < -1 {\n", "./solver/cdcl ./solver", ""},

	// Data races.
	{"a race missed: what another thread did earlier is ordered", "datarace/clocks.go", "&& now[b.thread] < b.time {", "&& now[b.thread]+1 < b.time {", "./datarace", ""},
	{"relaxed loads acquire", "datarace/clocks.go", "if acquires(a.cmd) {\n\t\t\t\tnow.join", "if true {\n\t\t\t\tnow.join", "./datarace", ""},
	{"relaxed stores release", "datarace/clocks.go", "m.join(c.offered[t])", "m.join(now)", "./datarace", ""},
	{"a lock orders nothing", "datarace/clocks.go", "now.join(c.lock)", "now.join(make(clock, len(now)))", "./datarace", ""},

	// C.
	{"a C conversion to a smaller type keeps all bits", "lang/c/conversions.go", "if !from.Fits(to) && to.Bits < 64 && !small(v.e, to) {", "if !from.Fits(to) && to.Bits < 16 && !small(v.e, to) {", "./lang/c", ""},
	{"a conversion to _Bool keeps the value", "lang/c/conversions.go", "return value{t: t, e: l.truth(nil, v)}", "return value{t: t, e: v.e}", "./lang/c", ""},
	{"an unsigned value fits the signed type of its size", "program/program.go", "return t.Bits < u.Bits", "return t.Bits <= u.Bits", "./lang/c ./internal/randc", ""},
	{"char is not promoted", "lang/c/conversions.go", "if t.integer() && t.rank < intType.rank {\n\t\treturn intType", "if t.integer() && t.rank < intType.rank {\n\t\treturn t", "./lang/c", ""},
	{"signed wins over unsigned", "lang/c/conversions.go", "case x.rank >= y.rank:\n\t\treturn x\n\tcase y.size > x.size:", "case x.rank >= y.rank:\n\t\treturn y\n\tcase y.size > x.size:", "./lang/c", ""},

	// Procedures of IMP.
	{"counters that are compared need not turn together", "explore/reduce/turning.go", "\t\t\tw.join(x.node, y.node)\n\t\t\treturn turned{}\n\t\t}\n\tcase program.BitAnd", "\t\t\treturn turned{}\n\t\t}\n\tcase program.BitAnd", "./explore", ""},
	{"nobody sees which of two counters is ahead", "explore/reduce/turning.go", "\treturn w.rest(x, y)\n}", "\treturn turned{}\n}", "./explore", ""},
	{"what properties see of a counter turns", "explore/reduce/turning.go", "\t\t\t\t\tw.nodes[i].candidate = false\n\t\t\t\t}", "\t\t\t\t}", "./explore", ""},
	{"what the lowest bits of a counter say turns", "explore/reduce/turning.go", "wheel.unit = max(wheel.unit, 1<<n)", "_ = wheel", "./explore", ""},
	{"a procedure finds its variables as the call before left them", "lang/imp/procedure.go", "for r := f.first; r < f.last; r++ {", "for r := f.last; r < f.last; r++ {", "./lang/imp", ""},
	{"continue leaves the loop", "lang/imp/procedure.go", "return target{loops[len(loops)-1].up, false}", "return target{loops[len(loops)-1].exit, false}", "./lang/imp", ""},
	{"a var parameter stands for the first element of an array", "lang/imp/procedure.go", "base: sym.base + int64(offset)}", "base: sym.base + 0*int64(offset)}", "./lang/imp", ""},
	{"a constant argument stays what it was, whatever is assigned", "lang/imp/procedure.go", "ok && !sub.assigned[p.name] {", "ok {", "./lang/imp", ""},

	// Tests for x86 with accesses of several sizes.
	{"a move to half a register keeps the other half", "lang/litmus/x86lower.go", "if bits >= 32 {\n\t\tc.Value = low", "if bits >= 64 {\n\t\tc.Value = low", "./lang/litmus ./suite ./hw", ""},
	{"ah is al", "lang/litmus/x86lower.go", "binary(program.Shl, low, program.Const(8))", "binary(program.Shl, low, program.Const(0))", "./lang/litmus ./hw", ""},
	{"the pieces of a variable begin with the highest", "lang/litmus/split.go", "\tif b.swapped {\n\t\toff =", "\tif !b.swapped {\n\t\toff =", "./lang/litmus ./suite", ""},
	{"what is observed of a variable in pieces is its first", "lang/litmus/observe.go", "if off > 0 {\n\t\t\te = program.Binary", "if off > 99 {\n\t\t\te = program.Binary", "./lang/litmus ./suite", ""},
	{"cells are as large as the largest access", "lang/litmus/split.go", "grain = min(grain, u.bits)", "grain = max(grain, u.bits)", "./lang/litmus ./suite", ""},

	// The analysis of values.
	{"a register that is read later is not followed", "program/ranges.go", "\t\tall[q] = memory[from:len(memory):len(memory)]\n", "\t\tif all[q] = memory[from:len(memory):len(memory)]; len(all[q]) > 1 {\n\t\t\tall[q] = all[q][1:]\n\t\t}\n", "./program ./explore", ""},
	{"the first way to a place says which values there are", "program/ranges.go", "if regs[r].is(there[k]) {", "if there[r].is(there[r]) {", "./program ./explore", ""},

	// Models that are as strong as others.
	{"the source of a read is a part for itself", "encode/generic.go", "for j := range n {\n\t\t\t\tsome = append(some, g.rel(\"rf\", j, i))", "for j := range base {\n\t\t\t\tsome = append(some, g.rel(\"rf\", j, i))", "./encode", ""},
	{"two steps need no event between them", "memory/cat/witness.go", "return n + max(steps-1, 0), ok", "return n + max(steps-2, 0), ok", "./encode", ""},
	{"a stronger model is the same", "encode/same.go", "return implies(ctx, a, b, class) && implies(ctx, b, a, class)", "return implies(ctx, a, b, class)", "./encode", ""},
	{"no program has locked accesses", "encode/same.go", "class.Locked = true", "class.Locked = false", "./encode ./encode/bmc", ""},
	{"coherence of an execution goes the other way", "encode/execution.go", "!same && precedes(x.item, y.item)):", "!same && precedes(y.item, x.item)):", "./encode/bmc", ""},

	// What of the axioms is extended from bound to bound.
	{"every term lasts", "memory/cat/monotone.go", "lasting := m.growing(later)\n", "lasting := m.growing(later)\n\tfor i := range lasting {\n\t\tlasting[i] = true\n\t}\n", "./encode", ""},
	{"a recursion that shrinks lasts within", "memory/cat/monotone.go", "range t.rec.open {", "range t.rec.open[:0] {", "./memory/cat", ""},
	{"no clause for an old pair's new way", "encode/onesided.go", "\tv := a.held(0, i, j)\n", "\tn := f.s.Stats().Vars\n\tv := a.held(0, i, j)\n\tif int(v) <= n {\n\t\treturn v\n\t}\n", "./encode", ""},
	{"what lasts of the axioms is not asked for", "encode/extension.go", "f.Clause(-e.off, f.open)", "f.Clause(e.off, f.open)", "./encode", ""},
	// What the encoder tells the solver.
	{"what a read reads is never decided", "encode/relations.go", "solver.Prefer(f.s, l)", "solver.Follow(f.s, l)", "./encode ./encode/bmc", ""},
	{"what is preferred is decided the other way", "solver/cdcl/phase.go", "case s.prefer[l]:\n\t\treturn l\n", "case s.prefer[l]:\n\t\treturn l ^ 1\n", "./solver/cdcl", ""},

	// Checkers.
	{"a proof may use a clause that is true", "certify/proof/proof.go", "case v > 0:\n\t\t\tc.Refuse(\"clause %d: hint %d: literal %d of it is true\", c.last, hint, l)", "case v > 0:\n\t\t\treturn true", "./certify/proof ./evidence", ""},
	{"a derived clause need not follow", "certify/proof/proof.go", "if !conflict {", "if false && !conflict {", "./certify/proof ./evidence", ""},
	{"a lemma of the order theory need not close", "certify/proof/proof.go", "if e.from != c.edges[before-1].to {", "if i > 0 && e.from != c.edges[before-1].to {", "./certify/proof ./evidence", ""},
	{"a lemma of the order theory may leave gaps", "certify/proof/proof.go", "if e.from != c.edges[before-1].to {", "if i == 0 && e.from != c.edges[before-1].to {", "./certify/proof ./evidence", ""},
	{"a lemma says what the formula has there", "certify/proof/proof.go", "c.clauses[c.lemma] = c.cycle(ns[1:])", "c.cycle(ns[1:])", "./certify/proof ./evidence", ""},
	{"a clause in the middle may be a lemma", "certify/proof/proof.go", "c.shown.Lemmas > 0 && c.lemma != c.last {", "c.shown.Lemmas > 0 && c.lemma > c.last {", "./certify/proof ./evidence", ""},
	{"clauses may hide in the first line of a formula", "evidence/proofs.go", "len(words) != 4 || words[0] != \"p\" {", "len(words) != 4 {", "./evidence", ""},
	{"the checker of robustness misses a store after a load", "certify/robust.go", "k == stored || k == loaded && n.how == stored {", "k == stored {", "./evidence", ""},
	{"the checker of robustness puts a store into memory that is to be delayed", "certify/robust.go", "m.none = phase != delaying && !begins", "m.none = !begins", "./certify ./evidence", ""},
	{"the checker of robustness takes what a thread has delayed for a load from memory", "certify/robust.go", "ends && len(m.noted) == 0", "ends && len(m.noted) > 9", "./certify ./evidence", ""},
	{"the checker of diagrams lets steps leave", "certify/diagram.go", "return m == 0\n", "return false\n", "./certify ./evidence", ""},
	{"the checker of diagrams lets steps go to what is not listed", "certify/diagram.go", "return l.number[fmt.Sprint(c.m.numbers(l.place, nil))] - 1", "return max(l.number[fmt.Sprint(c.m.numbers(l.place, nil))], 1) - 1", "./certify ./evidence", ""},
	{"the checker of diagrams lets what has no level change", "certify/diagram.go", "c.of[len(c.m.threads)+x] == 0\n", "c.of[len(c.m.threads)+x] < 0\n", "./certify ./evidence", ""},
	{"the checker of diagrams tries one of the local states that look alike", "certify/diagram.go", "slices.ContainsFunc(c.levels[p.level].options[p.from], func", "slices.ContainsFunc(c.levels[p.level].options[p.from][:1], func", "./certify ./evidence", ""},
	{"the checker of diagrams takes all control states for one", "certify/diagram.go", "program.Bool(slices.Contains(at.States, program.StateID(value[0])))", "1", "./certify ./evidence", ""},
	{"the checker's blocks let stores be late", "certify/machine.go", "if (block || c.FullFence() || c.Op", "if (c.FullFence() || c.Op", "./certify ./evidence", ""},
	{"the checker's loads come between what is locked", "certify/machine.go", "(block || c.Op == program.Load || c.Op", "(block || c.Op", "./certify ./evidence", ""},
	{"the checker of properties takes no step for a deadlock", "certify/property.go", "pr.Kind == program.Deadlock && m.stuck()", "pr.Kind == program.Deadlock && m.stuck() && false", "./certify ./evidence", ""},
	{"the checker's lock is free for all", "certify/machine.go", "return l == 0 || l == int64(t+1)", "return l >= 0", "./certify ./evidence", ""},
	{"the checker's flushes are no steps", "certify/machine.go", "if len(l.buffer) > 0 && m.choose(2) == 1 {", "if len(l.buffer) > 1 && m.choose(2) == 1 {", "./certify ./evidence", ""},
	{"the checker's fences let stores be late", "certify/machine.go", "if (block || c.FullFence() || c.Op", "if (block || c.Op", "./certify ./evidence", ""},
	{"the checker's counts stand for themselves only", "certify/buffer.go", "if s.count == m.limit && m.choose(2) == 0 {", "if s.count > m.limit && m.choose(2) == 0 {", "./certify ./evidence", ""},
	{"the checker's threads read any of their stores", "certify/buffer.go", "if s.addr == addr && (s.count == 0 || s.mark == 1) {", "if s.addr == addr {", "./certify ./evidence", ""},
	{"the checker resets registers that are read", "certify/live.go", "e.Cmd.Reads(func(r int) { before[r] = true })", "e.Cmd.Reads(func(r int) {})", "./certify ./evidence", ""},

	// Robustness.
	{"a load of what others write is local to the attacker", "robust/local.go", "!ok && s.disputed[cell] {", "!ok && s.disputed[cell] && n < 0 {", "./robust", ""},
	{"shared accesses are local in the search for a witness", "robust/local.go", "return !s.locks && !slices.ContainsFunc(s.r.Access[&e.Cmd]", "return !s.locks || !slices.ContainsFunc(s.r.Access[&e.Cmd]", "./robust", ""},

	// Assembly in C.
	{"an operand of assembly has the width of its variable, whatever its name says", "lang/c/registers.go", "if m[1] != \"\" {\n\t\t\targ.width", "if false {\n\t\t\targ.width", "./lang/c", "Assembly"},
	{"a condition after xadd is that of an older instruction", "lang/c/instructions.go", "\ta.write(from, value{t: t, e: x})\n\ta.follow(sum(x), width)\n", "\ta.write(from, value{t: t, e: x})\n", "./lang/c", "Assembly"},
	{"a register that nothing has set is read", "lang/c/registers.go", "if r.known < t.size {", "if false {", "./lang/c", "Assembly"},
	{"a constraint that is not known is a register", "lang/c/registers.go", "op.letters != \"\" && strings.Trim(op.letters, known) == \"\" && !(", "op.letters != \"\" && !(", "./lang/c", "Assembly"},
	{"an instruction of 32 bits leaves the upper half of a register", "lang/c/registers.go", "if v.t.size < 4 || r.local {", "if true {", "./lang/c", "Assembly"},
	{"an instruction of 32 bits clears what is above in memory", "lang/c/registers.go", "if v.t.size < 4 || r.local {", "if v.t.size < 4 {", "./lang/c", "Assembly"},
	{"a _Bool that is neither 0 nor 1 is 1", "lang/c/instructions.go", "if t.kind == boolKind && !a.boolean(v.e) {", "if false {", "./lang/c", "Assembly"},
	{"an input may be read when its register is taken for an output", "lang/c/registers.go", "a.refuse(\"an output that is written before an input is read has no & in its constraint\")", "_ = 0", "./lang/c", "Assembly"},
	{"cmpxchg of a variable of one's own always succeeds", "lang/c/instructions.go", "l.split(flowgraph.Fold(eq(old.e, expected.e)), same, no)", "l.split(program.Const(1), same, no)", "./lang/c", "Assembly"},

	// The Linux kernel's C.
	{"smp_mb__before_atomic is a fence on x86", "lang/c/mapping.go", " && !slices.Contains(besideAtomics, kernelName(t))", "", "./lang/c", "Run/kernel"},
	{"smp_rmb and smp_wmb are full fences to the kernel's model", "lang/c/kernel.go", "\t\tcase name != \"\":\n\t\t\tc.Tags = program.NewTags(name)", "\t\tcase name != \"\":\n\t\t\tc.Tags = program.NewTags(\"Mb\")", "./lang/c", "Kernel"},
	{"a read-modify-write of the kernel has no fences around it", "lang/c/kernel.go", "full = full || b.Tags.Has(orderTag[seqCst])", "full = full || b.Tags.Has(orderTag[plain])", "./lang/c", "Kernel"},
	{"a lock of the kernel is no more than an acquire", "lang/c/kernel.go", "inKernel(read.Tags, \"LKR\"), inKernel(write.Tags, \"LKW\")", "inKernel(read.Tags, \"RL\"), inKernel(write.Tags, \"Noreturn\")", "./lang/c", "Kernel"},
	{"an assertion that fails in a section of RCU leaves it open", "lang/c/kernel.go", "\t\tif open > 0 {", "\t\tif open < 0 {", "./lang/c", "Run/kernel"},

	// What C programs choose freely, wait for and destroy.
	{"a threshold stays where it is when a number is added", "lang/c/thresholds.go", "at, exact = subExact(b, k)", "at, exact = b, true", "./lang/c", "Thresholds"},
	{"a comparison with a constant tells nothing right above it", "lang/c/thresholds.go", "at = append(at, next)", "_ = next", "./lang/c", "Thresholds"},
	{"the thresholds of a register of 16 bits do not wrap around", "lang/c/thresholds.go", "v.Empty() || v.Min() < t.Min() || v.Max() > t.Max() {", "v.Empty() || t.Bits == 0 {", "./lang/c", "Thresholds"},
	{"a second and more is a time", "lang/c/time.go", "bin(program.ULe, program.Const(second), ns.e)", "bin(program.ULe, program.Const(second+second), ns.e)", "./lang/c", "Failures"},
	{"a semaphore has no end", "lang/c/semaphore.go", "if l.idle == n && !l.u.usesErrno() && l.u.smallSemaphores() {", "if true {", "./lang/c", "Failures"},
	{"a thread that somebody waits for leaves nobody behind", "lang/c/beside.go", "now&^only(int(id)-1) | r.left(int(id)-1)", "now&^only(int(id)-1)", "./lang/c", "Destroyed"},
	{"a thread is there no more that has been waited for on one way", "lang/c/beside.go", "if !reached[e.To] || now&^in[e.To] != 0 {", "if !reached[e.To] {", "./lang/c", "Destroyed"},
	{"the threads of threads are not there", "lang/c/beside.go", "\t\t\tbeside[i] = true\n\t\t\tstarts(u.threads[i].g, nil)", "\t\t\tbeside[i] = true", "./lang/c", "Destroyed"},
	{"nobody comes when something has been destroyed", "lang/c/beside.go", "\tstarts(g, later)\n", "\t_, _ = g, later\n", "./lang/c", "Destroyed"},
	{"who has been cancelled in a wait still waits", "lang/c/joinable.go", "Addr: cellOf(all.cells, id), Value: program.Const(0)", "Addr: cellOf(all.cells, id), Value: program.Const(1)", "./lang/c", "Joinable"},
	{"two mutexes are never one", "lang/c/destroyed.go", "known && alsoKnown && x != y", "known == alsoKnown && x != y || !known", "./lang/c", "Destroyed"},
	{"who has a mutex may destroy it", "lang/c/destroyed.go", "Value: flowgraph.Fold(op.free(held))", "Value: ne(held[0], program.Const(destroyed))", "./lang/c", "Destroyed"},
	{"a thread is none any more as soon as it is detached", "lang/c/joinable.go", "ended = load(cellOf(all.ended, id), acquire)", "load(cellOf(all.ended, id), acquire)", "./lang/c", "Joinable"},
	{"who cancels a thread asks itself only", "lang/c/joinable.go", "case first.thread != second.thread:", "case first.thread != second.thread && !second.claim.asks:", "./lang/c", "Joinable"},
	{"a thread may be waited for by another after this one", "lang/c/joinable.go", "case first.thread != second.thread:", "case first.thread != second.thread && known:", "./lang/c", "Joinable"},
	{"a thread is forgotten that has been waited for", "lang/c/joinable.go", "first.claim.note, second.claim.check = true, true", "first.claim.note, second.claim.check = false, true", "./lang/c", "Joinable"},
	{"who waits for main comes back where it returns", "lang/c/threads.go", "t.g.End < 0 || t.g.Result < 0 {", "t.g.End < 0 {", "./lang/c", "Joinable"},
	{"who is cancelled in a wait has waited", "lang/c/joinable.go", "bin(program.BitXor, bitOf(id), program.Const(-1))", "program.Const(-1)", "./lang/c", "Joinable"},
	{"a time is looked at only where there is something to wait for", "lang/c/time.go", "l.split(l.havoc(boolType, 0, 1).e, to, on)", "l.jump(on)", "./lang/c", "Failures"},
	{"no branch is taken on what is stored behind it", "lang/c/optimise.go", "if u.opts.Speculation == BeforeBranches {", "if false {", "./lang/c", "Speculation"},
	{"main has one argument less", "lang/c/threads.go", "int64(1+len(u.opts.Args))", "int64(len(u.opts.Args))", "./lang/c", "Arguments"},
	{"IC3 asks a solver that was not made to its end", "symbolic/ic3.go", "if e.err != nil { // the solver may be", "if e.err != nil && len(e.act) > k { // the solver may be", "./symbolic", "IC3"},
}
