package c_test

import (
	"os"
	"runtime/debug"
	"testing"

	"github.com/fencepost-verifier/fencepost/internal/leaks"
)

func TestMain(m *testing.M) {
	// Thousands of small programs, each gone at once: to collect that over and over takes a third of the time.
	debug.SetGCPercent(400)
	os.Exit(leaks.Run(m))
}
