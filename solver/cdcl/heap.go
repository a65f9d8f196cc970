package cdcl

// heap is the variables that may be not assigned, the most active on top: EVSIDS
// (exponential variable state independent decaying sum). What took part in a
// conflict becomes more active, by an amount that grows from conflict to conflict.
type heap struct {
	vars     []int32 // a binary heap
	place    []int32 // by variable: its index in vars; -1: not there
	activity []float64
	passive  []bool // by variable: it is never taken in; see [Solver.Follow]
	bump     float64
}

const (
	decay        = 0.95
	hugeActivity = 1e100
)

// add takes a new variable in.
func (h *heap) add(v int) {
	if h.bump == 0 {
		h.bump = 1
	}
	h.place = append(h.place, -1)
	h.activity = append(h.activity, 0)
	h.passive = append(h.passive, false)
	h.insert(v)
}

func (h *heap) insert(v int) {
	if h.place[v] < 0 && !h.passive[v] {
		h.place[v] = int32(len(h.vars))
		h.vars = append(h.vars, int32(v))
		h.up(len(h.vars) - 1)
	}
}

func (h *heap) pop() (v int, ok bool) {
	if len(h.vars) == 0 {
		return 0, false
	}
	top := h.vars[0]
	last := h.vars[len(h.vars)-1]
	h.vars = h.vars[:len(h.vars)-1]
	h.place[top] = -1
	if len(h.vars) > 0 {
		h.vars[0] = last
		h.place[last] = 0
		h.down(0)
	}
	return int(top), true
}

// raise makes v more active.
func (h *heap) raise(v int) {
	h.activity[v] += h.bump
	if h.activity[v] > hugeActivity {
		for i := range h.activity {
			h.activity[i] /= hugeActivity
		}
		h.bump /= hugeActivity
	}
	if i := h.place[v]; i >= 0 {
		h.up(int(i))
	}
}

// decay makes all that was raised so far weigh less than what will be.
func (h *heap) decay() { h.bump /= decay }

func (h *heap) up(i int) {
	v := h.vars[i]
	a := h.activity[v]
	for i > 0 {
		parent := (i - 1) / 2
		u := h.vars[parent]
		if h.activity[u] >= a {
			break
		}
		h.vars[i] = u
		h.place[u] = int32(i)
		i = parent
	}
	h.vars[i] = v
	h.place[v] = int32(i)
}

func (h *heap) down(i int) {
	v := h.vars[i]
	a := h.activity[v]
	for {
		child := 2*i + 1
		if child >= len(h.vars) {
			break
		}
		if r := child + 1; r < len(h.vars) && h.activity[h.vars[r]] > h.activity[h.vars[child]] {
			child = r
		}
		u := h.vars[child]
		if h.activity[u] <= a {
			break
		}
		h.vars[i] = u
		h.place[u] = int32(i)
		i = child
	}
	h.vars[i] = v
	h.place[v] = int32(i)
}
