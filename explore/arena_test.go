package explore

import "testing"

// TestArenaTooLarge: a record that no chunk holds is refused, and the arena
// can be walked and used all the same.
func TestArenaTooLarge(t *testing.T) {
	var a arena
	if _, ok := a.alloc(chunkWords); ok {
		t.Error("a record as large as a chunk is accepted")
	}
	if id := a.from(0); id != 0 {
		t.Errorf("an empty arena has the record %d", id)
	}
	id, ok := a.alloc(3)
	if !ok {
		t.Fatal("no room for a small record")
	}
	a.record(id)[0] = header(0, 0)
	if got := a.from(0); got != id {
		t.Errorf("the first record is %d, want %d", got, id)
	}
}
