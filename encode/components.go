package encode

// components lists the strongly connected components of the graph over 0..n-1:
// those that an edge leads to before those that it comes from (Tarjan).
func components(n int, edge func(i, j int) bool) [][]int {
	index := make([]int, n) // 0: not visited
	low := make([]int, n)
	onStack := make([]bool, n)
	var stack []int
	var out [][]int
	next := 0
	var visit func(i int)
	visit = func(i int) {
		next++
		index[i], low[i] = next, next
		stack = append(stack, i)
		onStack[i] = true
		for j := range n {
			if i == j || !edge(i, j) {
				continue
			}
			if index[j] == 0 {
				visit(j)
				low[i] = min(low[i], low[j])
			} else if onStack[j] {
				low[i] = min(low[i], index[j])
			}
		}
		if low[i] != index[i] {
			return
		}
		var comp []int
		for {
			j := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			onStack[j] = false
			comp = append(comp, j)
			if j == i {
				break
			}
		}
		out = append(out, comp)
	}
	for i := range n {
		if index[i] == 0 {
			visit(i)
		}
	}
	return out
}
