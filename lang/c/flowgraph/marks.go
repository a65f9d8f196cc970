package flowgraph

import "github.com/fencepost-verifier/fencepost/program"

// A cell to which nothing has been written may hold a mark, for which it has two bits more than what it is a cell for.

// WidestBits is how many bits the widest type has, which has no room for a mark.
const WidestBits = 64

// Marked is the type of a cell of a type with a mark.
func Marked(w program.Type) program.Type {
	if w.Bits == WidestBits {
		return w
	}
	return program.Type{Bits: w.Bits + 2, Signed: w.Signed}
}

// WordOf is the type that the program has for a cell, without its mark.
func WordOf(c *program.Cell) program.Type {
	if c.Mark == 0 || c.Type.Bits == WidestBits {
		return c.Type
	}
	return program.Type{Bits: c.Type.Bits - 2, Signed: c.Type.Signed}
}
