package states

import (
	"os"
	"strconv"
	"strings"
)

// freeMemory is how many bytes the machine has free, within the control group
// that the process runs in.
func freeMemory() int64 {
	free := int64(defaultFree)
	if text, err := os.ReadFile("/proc/meminfo"); err == nil {
		for line := range strings.Lines(string(text)) {
			if f := strings.Fields(line); len(f) >= 2 && f[0] == "MemAvailable:" {
				if kb, err := strconv.ParseInt(f[1], 10, 64); err == nil {
					free = kb << 10
				}
			}
		}
	}
	limit, ok := readNumber("/sys/fs/cgroup/memory.max")
	used, _ := readNumber("/sys/fs/cgroup/memory.current")
	if ok {
		free = min(free, max(limit-used, 0))
	}
	return free
}

func readNumber(file string) (int64, bool) {
	text, err := os.ReadFile(file)
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	return n, err == nil
}
