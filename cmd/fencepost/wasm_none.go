//go:build !playground

package main

import "github.com/fencepost-verifier/fencepost/internal/playground"

// embeddedWasm is the checker of the page where it is part of this binary.
func embeddedWasm() *playground.Wasm { return nil }
