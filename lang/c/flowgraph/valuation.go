package flowgraph

import (
	"cmp"
	"slices"
)

// A valuation is what is known of registers or cells: their values, by ascending number. Many are
// copied and few are long, so it is no map.
type valuation []binding

type binding struct{ key, v int64 }

func (s valuation) find(key int64) (int, bool) {
	return slices.BinarySearchFunc(s, key, func(b binding, key int64) int { return cmp.Compare(b.key, key) })
}

// get is the value of key, where it is known.
func (s valuation) get(key int64) (int64, bool) {
	if i, ok := s.find(key); ok {
		return s[i].v, true
	}
	return 0, false
}

func (s *valuation) set(key, v int64) {
	i, ok := s.find(key)
	if ok {
		(*s)[i].v = v
		return
	}
	*s = slices.Insert(*s, i, binding{key, v})
}

// forget makes the value of key unknown.
func (s *valuation) forget(key int64) {
	if i, ok := s.find(key); ok {
		*s = slices.Delete(*s, i, i+1)
	}
}

// meet leaves what o knows to be the same. It reports whether anything is gone.
func (s *valuation) meet(o valuation) bool {
	n := len(*s)
	*s = slices.DeleteFunc(*s, func(b binding) bool {
		v, ok := o.get(b.key)
		return !ok || v != b.v
	})
	return len(*s) < n
}
