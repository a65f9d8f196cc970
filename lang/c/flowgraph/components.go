package flowgraph

// Components numbers the strongly connected components of g, and says which have a
// cycle. Nodes that start does not reach have none.
func (g *Graph) Components(out [][]int) (comp []int, cyclic []bool) {
	n := len(g.Nodes)
	comp = make([]int, n)
	index := make([]int, n)
	low := make([]int, n)
	for q := range comp {
		comp[q] = -1
	}
	type frame struct{ q, next int }
	var stack []int
	count := 0
	frames := []frame{{g.Start, 0}}
	count++
	index[g.Start], low[g.Start] = count, count
	stack = append(stack, g.Start)
	for len(frames) > 0 {
		f := &frames[len(frames)-1]
		if f.next < len(out[f.q]) {
			to := g.Edges[out[f.q][f.next]].To
			f.next++
			switch {
			case index[to] == 0:
				count++
				index[to], low[to] = count, count
				stack = append(stack, to)
				frames = append(frames, frame{to, 0})
			case comp[to] < 0:
				low[f.q] = min(low[f.q], index[to])
			}
			continue
		}
		q := f.q
		frames = frames[:len(frames)-1]
		if len(frames) > 0 {
			up := frames[len(frames)-1].q
			low[up] = min(low[up], low[q])
		}
		if low[q] == index[q] {
			id := len(cyclic)
			size := 0
			for {
				top := stack[len(stack)-1]
				stack = stack[:len(stack)-1]
				comp[top] = id
				size++
				if top == q {
					break
				}
			}
			self := false
			for _, i := range out[q] {
				self = self || g.Edges[i].To == q
			}
			cyclic = append(cyclic, size > 1 || self)
		}
	}
	return comp, cyclic
}
