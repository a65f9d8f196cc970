package main

import (
	"os"
	"runtime/debug"

	"github.com/fencepost-verifier/fencepost"
)

// limitMemory makes the garbage collector work harder before the process holds
// more than limit bytes or, with a limit of 0, a little more than an engine may
// hold by itself. The engines keep to limits of their own; this sees to it that
// garbage does not exhaust the machine before they get there.
func limitMemory(limit int64) {
	if limit == 0 {
		if os.Getenv("GOMEMLIMIT") != "" {
			return
		}
		limit = fencepost.DefaultMemoryLimit() / 15 * 16
	}
	if limit > 0 {
		debug.SetMemoryLimit(limit)
	}
}
