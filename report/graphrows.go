package report

import "slices"

// rows is, by node, how far down it is. Every node is below those before it in program order, and
// no node is above what it reads from, or what it overwrites, as far as these orders have no
// cycle: so most arrows point down, and the tops of threads are where they begin to matter.
func (f *figure) rows() []int {
	n := len(f.nodes)
	below := make([][]int, n) // at least a row
	level := make([][]int, n) // at least as far down
	for _, e := range f.edges {
		from, to := f.node[e.from], f.node[e.to]
		switch {
		case f.Graph.Events[e.from].Initial():
			below[from] = append(below[from], to)
		case e.relation == "po":
			below[from] = append(below[from], to)
		}
	}
	for _, relation := range []string{"rf", "co"} {
		for _, e := range f.edges {
			from, to := f.node[e.from], f.node[e.to]
			if e.relation != relation || f.Graph.Events[e.from].Initial() || e.bold && relation == "co" {
				continue
			}
			level[from] = append(level[from], to)
			if depths(below, level) == nil {
				level[from] = level[from][:len(level[from])-1]
			}
		}
	}
	rows := depths(below, level)
	if slices.ContainsFunc(f.nodes, func(events []int) bool { return f.Graph.Events[events[0]].Initial() }) {
		for i, events := range f.nodes { // the row of initial writes is theirs alone
			if !f.Graph.Events[events[0]].Initial() {
				rows[i] = max(rows[i], 1)
			}
		}
		rows = settle(rows, below, level)
	}
	return rows
}

// depths is the least rows there can be, or nil where there are none.
func depths(below, level [][]int) []int { return settle(make([]int, len(below)), below, level) }

// settle moves nodes down until all is as it has to be; nil where that never is.
func settle(rows []int, below, level [][]int) []int {
	for range len(rows) + 1 {
		done := true
		for i := range rows {
			for _, j := range below[i] {
				if rows[j] < rows[i]+1 {
					rows[j], done = rows[i]+1, false
				}
			}
			for _, j := range level[i] {
				if rows[j] < rows[i] {
					rows[j], done = rows[i], false
				}
			}
		}
		if done {
			return rows
		}
	}
	return nil
}
