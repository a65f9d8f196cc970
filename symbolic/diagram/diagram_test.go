package diagram

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestSaturate compares saturation with a search over vectors one by one.
func TestSaturate(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 1))
		sizes := make([]int, 1+rng.IntN(4))
		for i := range sizes {
			sizes[i] = 1 + rng.IntN(4)
		}
		// Relations as lists of levels, with what changes into what.
		type step struct{ level, from, to []int32 }
		var steps []step
		s := New(sizes, 0)
		var rels []Rel
		for range 1 + rng.IntN(8) {
			var st step
			r := Identity
			for level := range sizes {
				if rng.IntN(2) == 0 && !(level == len(sizes)-1 && len(st.level) == 0) {
					continue
				}
				from, to := int32(rng.IntN(sizes[level])), int32(rng.IntN(sizes[level]))
				st.level, st.from, st.to = append(st.level, int32(level)), append(st.from, from), append(st.to, to)
				r = s.Relation(level+1, []Change{{from, to, r}})
			}
			steps, rels = append(steps, st), append(rels, r)
		}
		init := make([]int32, len(sizes))
		n, err := s.Saturate(context.Background(), s.Vector(init), rels)
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]bool{}
		for todo := [][]int32{init}; len(todo) > 0; {
			v := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			if key := fmt.Sprint(v); seen[key] {
				continue
			} else {
				seen[key] = true
			}
			if !s.Has(n, v) {
				t.Fatalf("seed %d: %v is missing", seed, v)
			}
		next:
			for i, st := range steps {
				w := slices.Clone(v)
				for k, level := range st.level {
					if v[level] != st.from[k] {
						continue next
					}
					w[level] = st.to[k]
				}
				todo = append(todo, w)
				if !meets(t, s, n, rels[i]) {
					t.Fatalf("seed %d: step %d is possible", seed, i)
				}
			}
		}
		if got := s.Count(n); got != float64(len(seen)) {
			t.Fatalf("seed %d: %g vectors instead of %d", seed, got, len(seen))
		}
		one := s.Vector(init)
		for _, r := range rels {
			if ok, err := s.Closed(t.Context(), n, r); err != nil || !ok {
				t.Fatalf("seed %d: the result is not closed", seed)
			}
			if ok, err := s.Closed(t.Context(), one, r); err != nil || ok != stays(t, s, one, r) {
				t.Fatalf("seed %d: one vector is closed: %v, %v", seed, ok, err)
			}
		}
	}
}

// stays is true where r leads from the vectors of n to none but them.
func stays(t *testing.T, s *Store, n Node, r Rel) bool {
	t.Helper()
	m, err := s.Saturate(context.Background(), n, []Rel{r})
	if err != nil {
		t.Fatal(err)
	}
	return m == n
}

func TestLimits(t *testing.T) {
	counter := func(limit int64) (*Store, []Rel) {
		s := New([]int{100, 100, 100}, limit)
		var rels []Rel
		for level := range 3 {
			var up []Change
			for v := range int32(99) {
				up = append(up, Change{v, v + 1, Identity})
			}
			rels = append(rels, s.Relation(level+1, up))
		}
		return s, rels
	}
	s, rels := counter(0)
	if n, err := s.Saturate(context.Background(), s.Vector([]int32{0, 0, 0}), rels); err != nil || s.Count(n) != 1e6 {
		t.Errorf("%v, %v", s.Count(n), err)
	}
	s, _ = counter(1 << 17)
	rels = nil
	for v := range int32(99) {
		below := s.Relation(1, []Change{{v, (7*v + 1) % 100, Identity}, {v, (3*v + 1) % 100, Identity}})
		rels = append(rels, s.Relation(3, []Change{{v, v + 1, s.Relation(2, []Change{{v % 7, v % 5, below}, {v % 5, v % 11, below}})}, {v, v + 1, below}}))
		rels = append(rels, s.Relation(2, []Change{{v % 7, v % 13, below}, {v, v + 1, Identity}}))
	}
	if _, err := s.Saturate(context.Background(), s.Vector([]int32{0, 0, 0}), rels); !errors.Is(err, ErrFull) {
		t.Errorf("beyond the limit: %v", err)
	}
}

func meets(t *testing.T, s *Store, n Node, r Rel) bool {
	t.Helper()
	met, err := s.Meets(context.Background(), n, r)
	if err != nil {
		t.Fatal(err)
	}
	return met
}
