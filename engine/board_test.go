package engine

import "testing"

func TestBoard(t *testing.T) {
	var got string
	b := newBoard(func(line string) { got = line })
	b.of(Explicit)("3 states")
	b.of(BMC)("bmc: bound 2")
	b.of(Explicit)("5 states")
	if want := "explicit: 5 states | bmc: bound 2"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	b.leave(Explicit)
	b.of(BMC)("bound 3")
	if want := "bmc: bound 3"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if none := newBoard(nil); none.of(BMC) != nil {
		t.Error("nobody is told, and yet there is something to tell")
	} else {
		none.leave(BMC)
	}
}
