package encode

import (
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/solver"
)

// related is true of two items that can both happen: items of different
// threads, and items of one thread on a common path.
func (f *Formula) related(a, b *item) bool {
	if a.retired || b.retired {
		return false
	}
	return a.thread != b.thread || b.past.has(a.id) || a.past.has(b.id)
}

// before is the literal that item a is before item b in the order. The two must
// be related. It may be used positively only: where it is false, a need not be
// behind b.
func (f *Formula) before(a, b *item) solver.Lit {
	if f.graph != nil {
		return f.askedBefore(a, b)
	}
	switch {
	case a.id < b.id:
		return f.order[b.id][a.id]
	case a.id > b.id:
		return -f.order[a.id][b.id]
	}
	return f.False()
}

// connectOrder gives every pair with a new item its literal: true for what the
// memory model preserves of program order, a variable for the rest, and makes
// the order transitive.
//
// Under TSO a store and a later item of its thread are in order where the item
// is a store, and where the buffer was drained between them. The latter is
// said of the events that are executed only: a branch that is not taken may have
// a fence, and transitivity through an event of that branch must not make it
// count. The pairs that are always in order (a load and anything later, a store
// and a later store) do no such harm, since the chains of such pairs between
// executed events lead to pairs of the same kind.
func (f *Formula) connectOrder() {
	if f.graph != nil {
		f.connectGraph()
		return
	}
	for ; f.done < len(f.items); f.done++ {
		f.poll()
		b := f.items[f.done]
		if b.kind.isFence() || f.relational() {
			f.order = append(f.order, nil)
			continue
		}
		row := make([]solver.Lit, b.id)
		f.limits.extra += 4 * int64(len(row))
		f.order = append(f.order, row)
		for _, a := range f.items[:b.id] {
			switch {
			case a.kind.isFence() || !f.related(a, b):
			case f.rank != nil && f.rank[a.id] != f.rank[b.id]:
				row[a.id] = f.Constant(f.rank[a.id] < f.rank[b.id])
			default:
				row[a.id] = f.inOrder(a, b)
			}
		}
		for _, a := range f.items[:b.id] {
			if row[a.id] == 0 {
				continue
			}
			f.poll()
			for _, m := range f.items[:a.id] {
				f.transitive(m, a, b)
			}
		}
		if f.hasLock {
			f.exclude(b)
		}
	}
}

// rankItems decides the order of the items that lie on no common cycle of what
// the model can demand: program order as far as it may be preserved, and two
// accesses of different threads that may conflict, in either direction (the
// critical cycles of Shasha and Snir). Such items can be ordered by rank once and
// for all; only those of one rank need variables. That is possible where no
// further items are to come.
func (f *Formula) rankItems() {
	accesses := make([][]*event, len(f.items))
	for _, e := range f.events {
		accesses[e.item.id] = append(accesses[e.item.id], e)
	}
	conflict := func(a, b *item) bool {
		for _, x := range accesses[a.id] {
			for _, y := range accesses[b.id] {
				if (x.write || y.write) && mayAlias(x, y) {
					return true
				}
			}
		}
		return false
	}
	preserved := func(a, b *item) bool { // may be
		if f.opts.Model == memory.SC || a.kind != storeItem || b.kind.drains() {
			return true
		}
		if b.kind == storeItem && (f.opts.Model == memory.TSO || mayAlias(a.store, b.store)) {
			return true
		}
		fenced := false
		b.past.each(func(i int) {
			x := f.items[i]
			fenced = fenced || (x.kind.drains() || x.kind == storeFenceItem && b.kind == storeItem) && x.past.has(a.id)
		})
		return fenced
	}
	f.rank = make([]int, len(f.items))
	comps := components(len(f.items), func(i, j int) bool {
		if j%64 == 0 {
			f.poll()
		}
		a, b := f.items[i], f.items[j]
		switch {
		case a.kind.isFence() || b.kind.isFence():
			return false
		case a.thread != b.thread:
			return conflict(a, b)
		}
		return b.past.has(a.id) && preserved(a, b)
	})
	for k, comp := range comps {
		for _, i := range comp {
			f.rank[i] = len(comps) - k
		}
	}
}

// transitive forbids the two cycles of three items, ascending by id.
func (f *Formula) transitive(a, b, c *item) {
	ab, bc, ac := f.order[b.id][a.id], f.order[c.id][b.id], f.order[c.id][a.id]
	if ab == 0 || bc == 0 || ac == 0 {
		return
	}
	f.Clause(-ab, -bc, ac)
	f.Clause(ab, bc, -ac)
}

// inOrder is the literal for items a and b, a the older one.
func (f *Formula) inOrder(a, b *item) solver.Lit {
	if a.thread != b.thread {
		return f.Fresh()
	}
	if f.opts.Model == memory.SC || a.kind != storeItem {
		return f.True
	}
	if b.kind == storeItem {
		if f.opts.Model == memory.TSO {
			return f.True
		}
		return f.storesInOrder(a, b)
	}
	fenced := b.kind.drains() || !b.unfenced.has(a.id)
	if fenced && f.IsTrue(a.guard) && f.IsTrue(b.guard) {
		return f.True
	}
	v := f.Fresh()
	if fenced {
		f.Clause(-a.guard, -b.guard, v)
		return v
	}
	b.past.each(func(i int) {
		if x := f.items[i]; x.kind.drains() && x.past.has(a.id) {
			f.Clause(-a.guard, -x.guard, -b.guard, v)
		}
	})
	return v
}

// stickStores lets the stores of a program with locks stay in their buffers for
// ever: a thread that holds the lock to the end of the run keeps the others from
// flushing. Such a store comes after all else in the order, so that no one reads
// it but its own thread, and no command that waits for the buffer follows it.
func (f *Formula) stickStores() {
	for _, w := range f.items {
		if w.kind == storeItem && w.stuck == 0 {
			w.stuck = f.Fresh()
			f.Clause(-w.stuck, w.guard)
		}
	}
	for _, w := range f.items {
		if w.kind != storeItem {
			continue
		}
		f.poll()
		for _, x := range f.items {
			switch {
			case x == w || !f.related(x, w):
			case x.kind.drains() && x.past.has(w.id):
				f.Clause(-w.stuck, -x.guard)
			case x.kind.isFence():
			case x.kind == storeItem:
				f.Clause(-w.stuck, -x.guard, x.stuck, f.before(x, w))
			default:
				f.Clause(-w.stuck, -x.guard, f.before(x, w))
			}
		}
	}
}

// storesInOrder is inOrder for two stores under PSO: they are in order where they
// go to one address, or where a fence is between them.
func (f *Formula) storesInOrder(a, b *item) solver.Lit {
	same := f.False()
	if mayAlias(a.store, b.store) {
		same = f.sameAddress(a.store, b.store)
	}
	if f.IsTrue(same) {
		return f.True
	}
	v := f.Fresh()
	f.Clause(-a.guard, -b.guard, -same, v)
	b.past.each(func(i int) {
		if x := f.items[i]; (x.kind.drains() || x.kind == storeFenceItem) && x.past.has(a.id) {
			f.Clause(-a.guard, -x.guard, -b.guard, v)
		}
	})
	return v
}

// exclude keeps the items of other threads out of the section between a lock
// and its unlock (thesis, appendix C): what is after the lock is after the
// unlock. b is the newest item.
func (f *Formula) exclude(b *item) {
	for _, a := range f.items[:b.id] {
		if a.thread == b.thread || a.kind == snapshotItem || b.kind == snapshotItem {
			continue
		}
		if a.kind == lockItem && !b.kind.isFence() {
			f.sections = append(f.sections, section{a, b})
		}
		if b.kind == lockItem && !a.kind.isFence() {
			f.sections = append(f.sections, section{b, a})
		}
	}
}

// section is a pair of a lock and an item of another thread.
type section struct{ lock, other *item }

// closeSections says for every such pair that the other item is before the lock
// or after an unlock that follows the lock; the first of them comes before the
// others. It is said anew for each bound, since the unlock may be in a later
// layer.
func (f *Formula) closeSections() {
	ends := map[*item][]*item{}
	for _, s := range f.sections {
		if _, ok := ends[s.lock]; ok {
			continue
		}
		ends[s.lock] = nil
		f.poll()
		for _, u := range f.items[s.lock.id+1:] {
			if u.kind == unlockItem && u.thread == s.lock.thread && u.past.has(s.lock.id) {
				ends[s.lock] = append(ends[s.lock], u)
			}
		}
	}
	if f.opts.Model != memory.SC && !f.flushed {
		f.stickStores()
	}
	for _, s := range f.sections {
		lits := []solver.Lit{-s.lock.guard, -s.other.guard, f.before(s.other, s.lock), f.open}
		if s.other.stuck != 0 {
			lits = append(lits, s.other.stuck)
		}
		for _, u := range ends[s.lock] {
			lits = append(lits, f.And(u.guard, f.before(u, s.other)))
		}
		f.poll()
		f.Clause(lits...)
	}
}
