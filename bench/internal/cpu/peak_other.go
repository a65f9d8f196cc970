//go:build !unix

package cpu

import "os"

// Peak is not known here.
func Peak(*os.ProcessState) int64 { return 0 }
