package replay

// Knots are the strongly connected components of a graph that no edge leads out of (Tarjan). out has the ends of
// the edges of every node. All nodes can be reached from the first.
func Knots(out [][]int32) (knots [][]int) {
	index, low := make([]int32, len(out)), make([]int32, len(out)) // from 1; 0: not yet; -1: its component is done
	leaves := make([]bool, len(out))                               // by an edge to another component
	var stack []int32
	n := int32(0)
	type frame struct {
		at   int32
		next int
	}
	walk := []frame{{}}
	for len(walk) > 0 {
		f := &walk[len(walk)-1]
		i := f.at
		if index[i] == 0 {
			n++
			index[i], low[i] = n, n
			stack = append(stack, i)
		}
		if f.next < len(out[i]) {
			to := out[i][f.next]
			switch {
			case index[to] == 0:
				walk = append(walk, frame{at: to})
				continue // and look at it again when that is done
			case index[to] < 0:
				leaves[i] = true
			default:
				low[i] = min(low[i], low[to])
			}
			f.next++
			continue
		}
		walk = walk[:len(walk)-1]
		if low[i] < index[i] {
			continue
		}
		k := len(stack) - 1
		for stack[k] != i {
			k--
		}
		leave := false
		for _, j := range stack[k:] {
			leave = leave || leaves[j]
			index[j] = -1
		}
		if !leave {
			knot := make([]int, 0, len(stack)-k)
			for _, j := range stack[k:] {
				knot = append(knot, int(j))
			}
			knots = append(knots, knot)
		}
		stack = stack[:k]
	}
	return knots
}
