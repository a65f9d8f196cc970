package abstract

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// stored is a store of the cells, each with that value.
func stored(v int64, cells ...int) (ps []Pair) {
	for _, c := range cells {
		ps = append(ps, Pair{Cell: c, Value: v})
	}
	return ps
}

func TestWideFIFO(t *testing.T) {
	var c Contents
	b := WideFIFO{}
	b.AddGroup(&c, stored(1, 1, 0))
	b.Add(&c, Pair{Cell: 0, Value: 2})
	if got, want := fmt.Sprint(c.Pairs), "[{0 1} +{1 1} {0 2}]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	for _, want := range [][2]int64{{0, 2}, {1, 1}} {
		if v, ok := b.Last(&c, int(want[0])); !ok || v != want[1] {
			t.Errorf("last of cell %d is %d", want[0], v)
		}
	}
	if got := fmt.Sprint(b.Group(&c, 0)); got != "[{0 1} +{1 1}]" || b.Flushes(&c) != 1 {
		t.Errorf("%d flushes, the first of %s", b.Flushes(&c), got)
	}
	if b.Flush(&c, 0); fmt.Sprint(c.Pairs) != "[{0 2}]" {
		t.Errorf("%v is left", c.Pairs)
	}
}

// TestWidePSO: contents that differ in the order of stores without a cell in common are equal, whatever has left,
// and what may leave is what is the oldest for each of its cells. Where all stores are of one cell they are those of PSO.
func TestWidePSO(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 71))
	for round := range 3000 {
		narrow := round%3 == 0
		var b WidePSO
		var c, d, single Contents
		var age [][]Pair // oldest first; nil is a barrier
		for v := range 2 + rng.IntN(6) {
			cells := rng.Perm(4)[:1+rng.IntN(3)]
			if narrow {
				cells = cells[:1]
			}
			if age = append(age, stored(int64(v), cells...)); rng.IntN(6) == 0 {
				age = append(age, nil)
			}
		}
		add := func(c *Contents, list [][]Pair) {
			for _, ps := range list {
				if ps == nil {
					b.Barrier(c)
				} else {
					b.AddGroup(c, slices.Clone(ps))
				}
			}
		}
		add(&c, age)
		// The same in another order.
		other := slices.Clone(age)
		for range 30 {
			if i := rng.IntN(len(other)); i > 0 && other[i] != nil && other[i-1] != nil && !meet(other[i-1], other[i]) {
				other[i-1], other[i] = other[i], other[i-1]
			}
		}
		add(&d, other)
		for _, ps := range age {
			if ps == nil {
				PSO{}.Barrier(&single)
			} else {
				PSO{}.Add(&single, ps[0])
			}
		}
		for {
			if !slices.Equal(c.Pairs, d.Pairs) {
				t.Fatalf("%v and %v are %v and %v", age, other, c.Pairs, d.Pairs)
			}
			if narrow && (!slices.Equal(c.Pairs, single.Pairs) || b.Flushes(&c) != (PSO{}).Flushes(&single)) {
				t.Fatalf("%v is %v, and %v of PSO", age, c.Pairs, single.Pairs)
			}
			for len(age) > 0 && age[0] == nil {
				age = age[1:]
			}
			var oldest []string
			for i, ps := range age {
				if ps == nil {
					break
				}
				if !slices.ContainsFunc(age[:i], func(o []Pair) bool { return meet(o, ps) }) {
					oldest = append(oldest, fmt.Sprint(parted(slices.Clone(ps))))
				}
			}
			var found []string
			for i := range b.Flushes(&c) {
				found = append(found, fmt.Sprint(b.Group(&c, i)))
			}
			slices.Sort(oldest)
			slices.Sort(found)
			if !slices.Equal(oldest, found) {
				t.Fatalf("%v: flushes %v, want %v", age, found, oldest)
			}
			if len(found) == 0 {
				break
			}
			i := rng.IntN(len(found))
			gone := b.Group(&c, i)[0]
			k := slices.IndexFunc(age, func(ps []Pair) bool { return ps != nil && ps[0].Value == gone.Value })
			age = slices.Delete(age, k, k+1)
			b.Flush(&c, i)
			b.Flush(&d, i)
			if narrow {
				PSO{}.Flush(&single, i)
			}
		}
	}
}
