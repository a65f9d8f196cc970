// Package keys is for tests: short texts that states are found by, for plain searches that look up every
// state that they come to. What fmt prints of a state takes longer than all the rest of such a search.
package keys

import (
	"encoding/binary"

	"github.com/fencepost-verifier/fencepost/abstract"
)

// State is the same text for two states of a system exactly where they are equal.
func State(s *abstract.State) string {
	b := make([]byte, 0, 64)
	for _, q := range s.PC {
		b = binary.AppendVarint(b, int64(q))
	}
	for _, v := range s.Vals {
		b = binary.AppendVarint(b, v)
	}
	for i := range s.Buf {
		b = binary.AppendUvarint(b, uint64(len(s.Buf[i].Pairs)))
		for _, p := range s.Buf[i].Pairs {
			b = binary.AppendVarint(binary.AppendVarint(b, int64(p.Cell)), p.Value)
			if p.Part {
				b = append(b, 1)
			} else {
				b = append(b, 0)
			}
		}
	}
	return string(binary.AppendVarint(b, int64(s.Lock)))
}
