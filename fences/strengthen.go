package fences

import (
	"cmp"
	"context"
	"slices"

	"github.com/fencepost-verifier/fencepost/program"
)

// A Reach is what a check of chosen strengthenings came to.
type Reach int8

// What a check can come to.
const (
	Unsure  Reach = iota // not known
	Reached              // the program reaches the goal with them
	Missed               // it does not
)

// A Strengthener finds cheapest sets of strengthenings, by number.
type Strengthener struct {
	List []program.Strengthening
	// Cost is what each costs, at least 1.
	Cost []int
	// Check is whether the program reaches the goal with these. Whoever orders more allows
	// less: of a model for which that is not so, sets may not be the cheapest.
	Check func(ctx context.Context, chosen []int) (Reach, error)
	// MaxSets bounds how many sets there are.
	MaxSets int

	known map[string]Reach
}

// Find finds MaxSets minimal sets, or all there are, the cheapest first. complete is true
// where these are all. Where there is none, reach is [Missed] if all strengthenings
// together do not reach the goal, and [Unsure] if that is not known of some.
//
// It goes the way of [Find], with what the programs that miss the goal have in common in
// place of runs: such a program is strengthened as far as it goes on to miss the goal, and
// whatever reaches the goal has something beside that.
func (s *Strengthener) Find(ctx context.Context) (sets [][]int, complete bool, reach Reach, err error) {
	s.known = map[string]Reach{}
	h := hitting{weights: s.Cost, above: make([][]int, len(s.List))}
	for i := range s.List {
		for j := range s.List {
			a, b := &s.List[i], &s.List[j]
			if i == j || a.Place != b.Place {
				continue
			}
			if b.Orders&a.Orders == a.Orders {
				h.above[i] = append(h.above[i], j)
			}
			if i < j { // what does as much as both is there as well
				h.exclusive = append(h.exclusive, [2]int{i, j})
			}
		}
	}
	places := 0
	for i := range s.List {
		places = max(places, s.List[i].Place+1)
	}
	for {
		choice, ok := h.solve()
		if !ok {
			if len(sets) > 0 {
				return sets, true, Reached, nil
			}
			return nil, false, Missed, nil
		}
		state := make(state, places)
		for _, e := range choice {
			state[s.List[e].Place] |= s.List[e].Orders
		}
		r, err := s.check(ctx, state)
		switch {
		case err != nil || r == Unsure:
			return sets, false, Unsure, err
		case r == Missed:
			if err := s.grow(ctx, state); err != nil {
				return nil, false, Unsure, err
			}
			var set []int
			for e := range s.List {
				if !state.has(&s.List[e]) {
					set = append(set, e)
				}
			}
			h.sets = append(h.sets, set)
			continue
		}
		sets = append(sets, choice)
		if len(choice) == 0 || len(sets) >= s.MaxSets {
			return sets, len(choice) == 0, Reached, nil
		}
		h.forbidden = append(h.forbidden, choice)
	}
}

// A state is what is in order already, by place.
type state []uint

func (s state) has(x *program.Strengthening) bool { return x.Orders&^s[x.Place] == 0 }

// grow adds what leaves the goal missed.
func (s *Strengthener) grow(ctx context.Context, t state) error {
	order := make([]int, len(s.List))
	for i := range order {
		order[i] = i
	}
	// The strongest first, so that few checks are needed; the last places first, so that
	// sets of later rounds differ.
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(s.List[b].Orders, s.List[a].Orders) })
	for _, e := range order {
		x := &s.List[e]
		if t.has(x) {
			continue
		}
		old := t[x.Place]
		t[x.Place] |= x.Orders
		r, err := s.check(ctx, t)
		if err != nil {
			return err
		}
		if r != Missed {
			t[x.Place] = old
		}
	}
	return nil
}

// check is whether the goal is reached with what is in order.
func (s *Strengthener) check(ctx context.Context, t state) (Reach, error) {
	chosen, ok := s.chosen(t)
	if !ok {
		return Unsure, nil
	}
	key := make([]byte, 0, 2*len(t))
	for _, bits := range t {
		key = append(key, byte(bits), byte(bits>>8))
	}
	if r, ok := s.known[string(key)]; ok {
		return r, nil
	}
	r, err := s.Check(ctx, chosen)
	if err == nil {
		s.known[string(key)] = r
	}
	return r, err
}

// chosen is one strengthening for each place, which orders exactly what is wanted; false
// where there is none.
func (s *Strengthener) chosen(t state) (chosen []int, ok bool) {
	for place, bits := range t {
		if bits == 0 {
			continue
		}
		e := slices.IndexFunc(s.List, func(x program.Strengthening) bool { return x.Place == place && x.Orders == bits })
		if e < 0 {
			return nil, false
		}
		chosen = append(chosen, e)
	}
	return chosen, true
}
