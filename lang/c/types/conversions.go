package types

// Promoted is the integer promotion.
func (t *Type) Promoted() *Type {
	if t.Integer() && t.Rank < Int.Rank {
		return Int
	}
	return t.Plain()
}

// Usual is the type that the usual arithmetic conversions lead to.
func Usual(x, y *Type) *Type {
	x, y = x.Promoted(), y.Promoted()
	switch {
	case x.Kind == FloatKind && (y.Kind != FloatKind || x.Size >= y.Size):
		return x
	case y.Kind == FloatKind:
		return y
	case x.Signed == y.Signed:
		if x.Rank >= y.Rank {
			return x
		}
		return y
	case x.Signed:
		x, y = y, x
	}
	// x is the unsigned one.
	switch {
	case x.Rank >= y.Rank:
		return x
	case y.Size > x.Size:
		return y
	case y.Rank == Long.Rank:
		return UnsignedLong
	}
	return UnsignedLongLong
}
