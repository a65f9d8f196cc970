package suggest_test

import (
	"testing"

	"github.com/fencepost-verifier/fencepost/internal/suggest"
)

func TestNearest(t *testing.T) {
	words := []string{"fence", "flush", "x", "timeout"}
	for name, want := range map[string]string{
		"fence": "fence", "Fence": "fence", "fnece": "fence", "fences": "fence", "flsh": "flush", "timeotu": "timeout",
		"y": "", "": "", "store": "", "tim": "",
	} {
		if got := suggest.Nearest(name, words); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

func TestOneOf(t *testing.T) {
	for _, tt := range []struct {
		name  string
		known []string
		want  string
	}{
		{"fnece", []string{"fence", "flush"}, "did you mean fence?"},
		{"store", []string{"flush", "fence"}, "the words are fence, flush"},
		{"store", nil, "there are no words"},
		{"zz", []string{"a1", "a2", "a3", "a4", "a5", "a6", "a7", "a8", "a9"}, "the words are a1, a2, a3, a4, a5, a6, a7, a8, .."},
	} {
		if got := suggest.OneOf(tt.name, tt.known, "words"); got != tt.want {
			t.Errorf("%q: %q, want %q", tt.name, got, tt.want)
		}
	}
}
