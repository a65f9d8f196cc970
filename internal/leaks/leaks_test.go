package leaks

import (
	"os"
	"strings"
	"testing"
	"time"
)

func TestMain(m *testing.M) { os.Exit(Run(m)) }

func stay(done chan bool) { <-done }

func TestWait(t *testing.T) {
	if left := Wait(0); len(left) != 0 {
		t.Errorf("before there is one: %q", left)
	}
	done := make(chan bool)
	go stay(done)
	if left := Wait(10 * time.Millisecond); len(left) != 1 || !strings.Contains(left[0], "leaks.stay") {
		t.Errorf("%q", left)
	}
	if left := Wait(0, "github.com/fencepost-verifier/fencepost/internal/leaks.stay"); len(left) != 0 {
		t.Errorf("what is allowed is not: %q", left)
	}
	time.AfterFunc(20*time.Millisecond, func() { close(done) })
	if left := Wait(patience); len(left) != 0 {
		t.Errorf("one that ends is not waited for: %q", left)
	}
}
