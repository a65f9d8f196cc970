package states

// DefaultMemoryLimit is what a search may hold where nobody says otherwise:
// three quarters of what the machine has free, in bytes.
func DefaultMemoryLimit() int64 { return freeMemory() / 4 * 3 }
