package program

import (
	"slices"
	"strings"
)

// A Member of a structure that is one cell is some of its bits.
type Member struct {
	Name  string
	Type  Type
	Shift int64 // its first bit
	Mark  int64 // see [Cell.Mark]
}

// Members say, in reports, what the value of a cell stands for.
type Members struct{ all []Member }

// MembersOf are these members.
func MembersOf(all []Member) *Members { return &Members{slices.Clone(all)} }

// Marked is true where some member may be unwritten.
func (m *Members) Marked() bool {
	return m != nil && slices.ContainsFunc(m.all, func(x Member) bool { return x.Mark != 0 })
}

// Format is a value of the cell by its members: {p=1040, count=1}.
func (m *Members) Format(v int64) string {
	var b strings.Builder
	for i, x := range m.all {
		b.WriteString([...]string{"{", ", "}[min(i, 1)])
		b.WriteString(x.Name + "=" + x.Type.marked(x.Type.Wrap(int64(uint64(v)>>x.Shift)), x.Mark))
	}
	return b.String() + "}"
}
