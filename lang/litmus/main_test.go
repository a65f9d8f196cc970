package litmus_test

import (
	"os"
	"testing"

	"github.com/fencepost-verifier/fencepost/internal/leaks"
)

func TestMain(m *testing.M) { os.Exit(leaks.Run(m)) }
