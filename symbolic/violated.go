package symbolic

import (
	"encoding/binary"
	"fmt"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/replay"
	"github.com/fencepost-verifier/fencepost/symbolic/diagram"
)

// maxViews bounds how many combinations of what properties see are looked at.
const maxViews = 1 << 20

// violated is whether a state of the set violates a property. Of the vectors it
// looks at one for each combination of what the properties see of the levels.
func (sp *space) violated(s *diagram.Store, n diagram.Node) (bool, error) {
	// What the properties see of each value, as a number. Of most levels that is
	// nothing.
	eyes := sp.eyes()
	views := make([][]int32, len(sp.places)+1) // nil: nothing
	first := make([][]int32, len(sp.places)+1) // by number: a value
	var seen []int                             // levels
	for level := 1; level <= len(sp.places); level++ {
		if eyes.blind(level) {
			continue
		}
		seen = append(seen, level)
		numbers := map[string]int32{}
		for v := range sp.sizes[level-1] {
			if err := sp.tick(); err != nil {
				return false, err
			}
			k := number(numbers, eyes.see(level, int32(v)))
			if int(k) == len(first[level]) {
				first[level] = append(first[level], int32(v))
			}
			views[level] = append(views[level], k)
		}
	}
	known := map[diagram.Node]map[string]bool{diagram.One: {"": true}}
	total := 0
	var combine func(n diagram.Node) (map[string]bool, error)
	combine = func(n diagram.Node) (map[string]bool, error) {
		if set, ok := known[n]; ok {
			return set, nil
		}
		set := map[string]bool{}
		level := s.Level(n)
		for _, a := range s.Arcs(n) {
			below, err := combine(a.To)
			if err != nil {
				return nil, err
			}
			head := ""
			if views[level] != nil {
				head = string(binary.LittleEndian.AppendUint32(nil, uint32(views[level][a.Value])))
			} else if len(s.Arcs(n)) == 1 {
				set = below
				break
			}
			for tail := range below {
				if err := sp.tick(); err != nil {
					return nil, err
				}
				set[tail+head] = true
			}
		}
		if total += len(set); total > maxViews {
			return nil, fmt.Errorf("%w: too many combinations of what the properties see", ErrUnsupported)
		}
		size := 0 // of a view; they are all the same
		for view := range set {
			size = len(view)
			break
		}
		if err := sp.hold(int64(len(set) * (size + 48))); err != nil {
			return nil, err
		}
		known[n] = set
		return set, nil
	}
	before := sp.held
	defer func() { sp.held = before }()
	all, err := combine(n)
	if err != nil {
		return false, err
	}
	state := sp.x.NewState()
	state.Copy(sp.init)
	judge := replay.NewJudge(sp.x, sp.p.Properties)
	for view := range all {
		if err := sp.tick(); err != nil {
			return false, err
		}
		for i, level := range seen {
			k := binary.LittleEndian.Uint32([]byte(view[4*i:]))
			sp.set(state, level, first[level][k])
		}
		if judge.Violated(state) != nil {
			return true, nil
		}
	}
	return false, nil
}

// eyes is what the properties see of places.
type eyes struct {
	sp    *space
	conds map[place][]abstract.Condition
	final bool // they ask for the ends of threads
	s     *abstract.State
	key   []byte
}

func (sp *space) eyes() *eyes {
	e := &eyes{sp: sp, conds: map[place][]abstract.Condition{}, s: sp.x.NewState()}
	e.s.Copy(sp.init)
	add := func(x program.Expr) {
		switch y := x.(type) {
		case program.At:
			e.add(place{threadPlace, y.Thread}, x)
		case program.ThreadReg:
			e.add(place{threadPlace, y.Thread}, x)
		case program.Mem:
			e.add(place{cellPlace, sp.x.Ranges.CellIndex(y.Addr)}, x)
		}
	}
	for i := range sp.p.Properties {
		program.Walk(sp.p.Properties[i].Cond, add)
		e.final = e.final || sp.p.Properties[i].Final()
	}
	program.Walk(sp.p.Filter, add)
	if e.final {
		for _, t := range sp.p.Threads {
			for q := range t.States {
				if t.States[q].Kind == program.Unstarted {
					add(program.Mem{Addr: t.StartCell(program.StateID(q))})
				}
			}
		}
	}
	return e
}

func (e *eyes) add(pl place, x program.Expr) {
	e.conds[pl] = append(e.conds[pl], e.sp.x.Condition(x))
}

// blind is true of a level of which they see nothing.
func (e *eyes) blind(level int) bool {
	pl := e.sp.places[level-1]
	return len(e.conds[pl]) == 0 && !(e.final && pl.kind == threadPlace)
}

// see is what they see of a value at a level, which it leaves in e.s.
func (e *eyes) see(level int, v int32) string {
	pl := e.sp.places[level-1]
	e.sp.set(e.s, level, v)
	e.key = e.key[:0]
	for _, c := range e.conds[pl] {
		e.key = binary.AppendVarint(e.key, c(e.s))
	}
	if e.final && pl.kind == threadPlace {
		// Where the thread is not over it may be one that is to be started.
		q, over := e.s.PC[pl.index], byte(0)
		switch {
		case !e.s.Buf[pl.index].Empty():
		case e.sp.p.Threads[pl.index].States[q].Kind == program.Unstarted:
			over = 2
		case e.sp.x.Ended(e.s, pl.index):
			over = 1
		}
		e.key = append(e.key, over)
	}
	return string(e.key)
}
