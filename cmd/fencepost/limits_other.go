//go:build !linux

package main

import "math"

// addressSpace is not known.
func addressSpace() int64 { return math.MaxInt64 }
