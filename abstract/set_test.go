package abstract

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// flushesOf lists the flushes of contents: the pair that goes to memory and what
// remains.
func flushesOf(b Buffer, c *Contents) []string {
	var all []string
	for i := range b.Flushes(c) {
		var d Contents
		d.Copy(c)
		p := b.Flushed(&d, i)
		b.Flush(&d, i)
		all = append(all, fmt.Sprintf("%v %v", p, d.Pairs))
	}
	slices.Sort(all)
	return all
}

// TestFlushes: what figures 3.6, 3.8 and 3.10 allow to reach memory.
func TestFlushes(t *testing.T) {
	const a, b = 0, 1
	bar := Pair{Cell: Barrier}
	tests := []struct {
		name  string
		buf   Buffer
		add   []Pair
		holds []Pair
		want  []string
	}{
		{"set: nothing", Set{}, nil, nil, nil},
		{"set: last and alone", Set{}, []Pair{{Cell: a, Value: 1}}, []Pair{{Cell: a, Value: 1}}, []string{"{0 1} [{0 1}]", "{0 1} []"}},
		{"set: last among others stays", Set{}, []Pair{{Cell: a, Value: 2}, {Cell: a, Value: 1}}, []Pair{{Cell: a, Value: 2}, {Cell: a, Value: 1}},
			[]string{"{0 1} [{0 2} {0 1}]", "{0 2} [{0 1}]", "{0 2} [{0 2} {0 1}]"}},
		{"set: other cells do not matter", Set{}, []Pair{{Cell: b, Value: 3}, {Cell: a, Value: 1}}, []Pair{{Cell: a, Value: 1}, {Cell: b, Value: 3}},
			[]string{"{0 1} [{0 1} {1 3}]", "{0 1} [{1 3}]", "{1 3} [{0 1} {1 3}]", "{1 3} [{0 1}]"}},
		{"set: again", Set{}, []Pair{{Cell: a, Value: 1}, {Cell: a, Value: 2}, {Cell: a, Value: 1}, {Cell: a, Value: 3}, {Cell: a, Value: 1}}, []Pair{{Cell: a, Value: 2}, {Cell: a, Value: 3}, {Cell: a, Value: 1}},
			[]string{"{0 1} [{0 2} {0 3} {0 1}]", "{0 2} [{0 2} {0 3} {0 1}]", "{0 2} [{0 3} {0 1}]",
				"{0 3} [{0 2} {0 1}]", "{0 3} [{0 2} {0 3} {0 1}]"}},
		{"multiset: last and alone", Multiset{}, []Pair{{Cell: a, Value: 1}}, []Pair{{Cell: a, Value: 1}}, []string{"{0 1} []"}},
		{"multiset: last among others stays", Multiset{}, []Pair{{Cell: a, Value: 2}, {Cell: a, Value: 1}}, []Pair{{Cell: a, Value: 2}, {Cell: a, Value: 1}}, []string{"{0 2} [{0 1}]"}},
		{"multiset: a copy of last goes", Multiset{}, []Pair{{Cell: a, Value: 1}, {Cell: a, Value: 2}, {Cell: a, Value: 1}}, []Pair{{Cell: a, Value: 1}, {Cell: a, Value: 2}, {Cell: a, Value: 1}},
			[]string{"{0 1} [{0 2} {0 1}]", "{0 2} [{0 1} {0 1}]"}},
		{"multiset: copies of last only", Multiset{}, []Pair{{Cell: a, Value: 1}, {Cell: a, Value: 1}}, []Pair{{Cell: a, Value: 1}, {Cell: a, Value: 1}}, []string{"{0 1} [{0 1}]"}},
		{"saturated: as a set", Multiset{Max: 1, Saturate: true}, []Pair{{Cell: a, Value: 2}, {Cell: a, Value: 1}}, []Pair{{Cell: a, Value: 2}, {Cell: a, Value: 1}},
			[]string{"{0 1} [{0 2} {0 1}]", "{0 2} [{0 1}]", "{0 2} [{0 2} {0 1}]"}},
		{"saturated: below", Multiset{Max: 2, Saturate: true}, []Pair{{Cell: a, Value: 1}}, []Pair{{Cell: a, Value: 1}}, []string{"{0 1} []"}},
		{"saturated: both", Multiset{Max: 2, Saturate: true}, []Pair{{Cell: a, Value: 1}, {Cell: a, Value: 1}, {Cell: a, Value: 1}}, []Pair{{Cell: a, Value: 1}, {Cell: a, Value: 1}},
			[]string{"{0 1} [{0 1} {0 1}]", "{0 1} [{0 1}]"}},
		{"queue first", Coherence{K: 1}, []Pair{{Cell: b, Value: 3}, {Cell: a, Value: 1}}, []Pair{{Cell: b, Value: 3}, bar, {Cell: a, Value: 1}}, []string{"{1 3} [{-1 0} {0 1}]"}},
		{"queue in order", Coherence{K: 3}, []Pair{{Cell: b, Value: 3}, {Cell: a, Value: 1}, {Cell: b, Value: 3}}, []Pair{{Cell: b, Value: 3}, {Cell: a, Value: 1}, {Cell: b, Value: 3}}, []string{"{1 3} [{0 1} {1 3}]"}},
		{"no queue", Coherence{}, []Pair{{Cell: a, Value: 1}}, []Pair{bar, {Cell: a, Value: 1}}, []string{"{0 1} [{-1 0} {0 1}]", "{0 1} []"}},
		{"counted", Coherence{K: 1, Counting: true}, []Pair{{Cell: b, Value: 3}, {Cell: a, Value: 1}, {Cell: a, Value: 1}}, []Pair{{Cell: b, Value: 3}, bar, {Cell: a, Value: 1}, {Cell: a, Value: 1}}, []string{"{1 3} [{-1 0} {0 1} {0 1}]"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var c Contents
			for _, p := range test.add {
				test.buf.Add(&c, p)
				if v, ok := test.buf.Last(&c, p.Cell); !ok || v != p.Value {
					t.Errorf("after %v, the last value of its cell is %d, %v", p, v, ok)
				}
			}
			if !slices.Equal(c.Pairs, test.holds) {
				t.Errorf("holds %v, want %v", c.Pairs, test.holds)
			}
			slices.Sort(test.want)
			if got := flushesOf(test.buf, &c); !slices.Equal(got, test.want) {
				t.Errorf("flushes\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(test.want, "\n"))
			}
		})
	}
}

// TestCoherenceQueue: the queue is used again only once the set is empty, and
// reads prefer the set.
func TestCoherenceQueue(t *testing.T) {
	b := Coherence{K: 2}
	var c Contents
	for v := range int64(4) {
		b.Add(&c, Pair{Cell: 0, Value: v})
	}
	b.Flush(&c, 0) // of the queue
	b.Add(&c, Pair{Cell: 0, Value: 9})
	if want := []Pair{{Cell: 0, Value: 1}, {Cell: Barrier}, {Cell: 0, Value: 2}, {Cell: 0, Value: 3}, {Cell: 0, Value: 9}}; !slices.Equal(c.Pairs, want) {
		t.Errorf("%v, want %v", c.Pairs, want)
	}
	if b.Queues(&c) {
		t.Error("the queue takes pairs before the set")
	}
	b.Flush(&c, 0)
	for b.Flushes(&c) > 0 {
		b.Flush(&c, b.Flushes(&c)-1) // one that takes its pair away
	}
	if !c.Empty() || !b.Queues(&c) {
		t.Errorf("%v remains", c.Pairs)
	}
}

// TestFull: an under-approximation counts up to its bound.
func TestFull(t *testing.T) {
	b := Multiset{Max: 2}
	var c Contents
	p := Pair{Cell: 0, Value: 1}
	b.Add(&c, p)
	if b.Full(&c, p) {
		t.Error("full with one of two")
	}
	b.Add(&c, p)
	if !b.Full(&c, p) || b.Full(&c, Pair{Cell: 0, Value: 2}) {
		t.Error("full with two of two, and for nothing else")
	}
	if (Multiset{}).Full(&c, p) || (Multiset{Max: 1, Saturate: true}).Full(&c, p) {
		t.Error("buffers without a bound are full")
	}
}

// TestCanonical compares the abstractions, on random histories, with what they
// say of themselves in terms of maps: contents that mean the same are equal.
func TestCanonical(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	buffers := []Buffer{Set{}, Multiset{}, Multiset{Max: 2, Saturate: true}, Coherence{K: 0}, Coherence{K: 1}, Coherence{K: 2}}
	for _, b := range buffers {
		seen := map[string]string{}
		for range 3000 {
			var c Contents
			last := map[int]int64{}
			for range rng.IntN(8) {
				if n := b.Flushes(&c); n > 0 && rng.IntN(3) == 0 {
					b.Flush(&c, rng.IntN(n))
					for cell := range 2 {
						v, ok := b.Last(&c, cell)
						if old, was := last[cell]; ok && (!was || v != old) {
							t.Fatalf("%s: a flush changes the mark of cell %d from %d to %d", Name(b), cell, old, v)
						}
						if !ok {
							delete(last, cell)
						}
					}
					continue
				}
				p := Pair{Cell: rng.IntN(2), Value: int64(rng.IntN(3))}
				b.Add(&c, p)
				last[p.Cell] = p.Value
			}
			var queue, set []Pair
			if k, ok := b.(Coherence); ok {
				n, has := k.queue(&c)
				if queue = c.Pairs[:n]; has {
					set = c.Pairs[n+1:]
				}
				if has && len(set) == 0 {
					t.Fatalf("%s: a set that is empty", Name(b))
				}
			} else {
				set = c.Pairs
			}
			counts := map[Pair]int{}
			for _, p := range set {
				counts[p]++
			}
			meaning := fmt.Sprint(queue, counts, last)
			if text := fmt.Sprint(c.Pairs); seen[meaning] == "" {
				seen[meaning] = text
			} else if seen[meaning] != text {
				t.Fatalf("%s: %s and %s mean the same", Name(b), seen[meaning], text)
			}
		}
	}
}

func TestNames(t *testing.T) {
	for _, b := range []Buffer{None{}, FIFO{}, PSO{}, Set{}, Multiset{}, Multiset{Max: 3}, Multiset{Max: 2, Saturate: true}, Coherence{}, Coherence{K: 12}} {
		if got, err := ParseBuffer(Name(b)); err != nil || got != b {
			t.Errorf("%q is parsed as %v, %v", Name(b), got, err)
		}
	}
	for _, name := range []string{"", "sets", "coherence", "coherence:", "coherence:-1", "coherence:01", "coherence:1 ", "multiset:0", "multiset<=0", "multiset:x"} {
		if b, err := ParseBuffer(name); err == nil {
			t.Errorf("%q is parsed as %v", name, b)
		}
	}
}
