package abstract

import (
	"fmt"
	"strconv"
	"strings"
)

// Name is what, but for a Counting [Coherence], [ParseBuffer] reads: "set", "multiset", "multiset:3" for counts
// that saturate at 3 and "multiset<=3" for counts up to 3, "coherence:2"; for the
// buffers of the memory models "none", "fifo" and "pso"; "" for nil.
func Name(b Buffer) string {
	switch b := b.(type) {
	case nil:
		return ""
	case None:
		return "none"
	case FIFO:
		return "fifo"
	case PSO:
		return "pso"
	case Set:
		return "set"
	case Multiset:
		switch {
		case b.Max == 0:
			return "multiset"
		case b.Saturate:
			return fmt.Sprintf("multiset:%d", b.Max)
		}
		return fmt.Sprintf("multiset<=%d", b.Max)
	case Coherence:
		if b.Counting {
			return fmt.Sprintf("coherence:%d with counts", b.K)
		}
		return fmt.Sprintf("coherence:%d", b.K)
	}
	return fmt.Sprintf("%T", b)
}

// ParseBuffer is the buffer of that name.
func ParseBuffer(name string) (Buffer, error) {
	for _, b := range []Buffer{None{}, FIFO{}, PSO{}, Set{}, Multiset{}} {
		if Name(b) == name {
			return b, nil
		}
	}
	number := func(prefix string) (int, bool) {
		text, ok := strings.CutPrefix(name, prefix)
		n, err := strconv.Atoi(text)
		return n, ok && err == nil && strconv.Itoa(n) == text
	}
	if n, ok := number("multiset:"); ok && n > 0 {
		return Multiset{Max: n, Saturate: true}, nil
	}
	if n, ok := number("multiset<="); ok && n > 0 {
		return Multiset{Max: n}, nil
	}
	if n, ok := number("coherence:"); ok && n >= 0 {
		return Coherence{K: n}, nil
	}
	return nil, fmt.Errorf("there is no store buffer %q", name)
}
