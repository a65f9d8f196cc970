//go:build !linux

package states

// freeMemory is a guess: there is no portable way to ask.
func freeMemory() int64 { return defaultFree }
