package program

import "testing"

func TestRevise(t *testing.T) {
	const text = "ab\ncd\nef\n"
	r := Revise(text, []Edit{
		{From: 6, To: 8, Text: "XYZ"}, {From: 3, To: 3, Text: "new\n"}, {From: 0, To: 1},
	})
	if want := "b\nnew\ncd\nXYZ\n"; r.Text != want {
		t.Fatalf("%q, want %q", r.Text, want)
	}
	for _, c := range []struct {
		new, old Position
		inserted bool
	}{
		{Position{Line: 1, Col: 1}, Position{Line: 1, Col: 2}, false},
		{Position{Line: 2, Col: 1}, Position{Line: 2, Col: 1}, true},
		{Position{Line: 2, Col: 3}, Position{Line: 2, Col: 1}, true},
		{Position{Line: 3, Col: 2}, Position{Line: 2, Col: 2}, false},
		{Position{Line: 4, Col: 2}, Position{Line: 3, Col: 1}, true},
		{Position{Line: 4, Col: 4}, Position{Line: 3, Col: 3}, false},
		{Position{}, Position{}, false},
	} {
		if got := r.Old(c.new); got != c.old {
			t.Errorf("%v was at %v, want %v", c.new, got, c.old)
		}
		if c.new.IsValid() && r.Inserted(c.new) != c.inserted {
			t.Errorf("%v: inserted %v", c.new, !c.inserted)
		}
	}
	// Rows at one place share a line where they can.
	rows := []Edit{{Text: "a |   ;\n", Row: true}, {Text: "  | b ;\n", Row: true}, {Text: "c |   ;\n", Row: true}, {Text: "longer\n", Row: true}}
	if got, want := Revise("", rows).Text, "a | b ;\nc |   ;\nlonger\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
