package abstract

import (
	"fmt"
	"strconv"
	"strings"
)

// named is the buffers that have names, in the files of these. A new one is a line here.
var named = []func(name string) (Buffer, bool){
	only(None{}),
	only(FIFO{}),
	only(PSO{}),
	only(Set{}),
	parseMultiset,
	parseCoherence,
}

// Name is what, but for a Counting [Coherence], [ParseBuffer] reads: "set", "multiset:3", "coherence:2"; for the
// buffers of the memory models "none", "fifo" and "pso"; "" for nil.
func Name(b Buffer) string {
	switch b := b.(type) {
	case nil:
		return ""
	case interface{ Name() string }:
		return b.Name()
	}
	return fmt.Sprintf("%T", b)
}

// ParseBuffer is the buffer of that name.
func ParseBuffer(name string) (Buffer, error) {
	for _, parse := range named {
		if b, ok := parse(name); ok {
			return b, nil
		}
	}
	return nil, fmt.Errorf("there is no store buffer %q", name)
}

// only is a buffer with one name.
func only(b Buffer) func(string) (Buffer, bool) {
	return func(name string) (Buffer, bool) { return b, name == Name(b) }
}

// numbered is the number behind a prefix, written as it usually is.
func numbered(name, prefix string) (int, bool) {
	text, ok := strings.CutPrefix(name, prefix)
	n, err := strconv.Atoi(text)
	return n, ok && err == nil && strconv.Itoa(n) == text
}
