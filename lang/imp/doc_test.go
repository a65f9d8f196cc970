package imp

import "testing"

// Every complete program of the reference page is one.
func TestReferencePage(t *testing.T) {
	programs := documented(t)
	if len(programs) < 20 {
		t.Errorf("only %d programs in the page", len(programs))
	}
	for _, text := range programs {
		p, err := parse(text, nil)
		if err != nil {
			t.Errorf("%v\n%s", err, text)
		} else if err := wellFormed(p); err != nil {
			t.Errorf("%v\n%s", err, text)
		}
	}
}
