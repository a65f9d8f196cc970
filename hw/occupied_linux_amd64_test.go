package hw

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A process that finds the file has something in its memory where final states have to be. Only the
// file that is named always stays for the next one.
func init() {
	beforeChild = func(file string) {
		if _, err := os.Stat(file); err != nil {
			return
		}
		if filepath.Base(file) != "always" {
			os.Remove(file)
		}
		new(mapping).area(recordAt, pageSize)
	}
}

// A process in whose memory other things are where the test has to be is followed by another one.
func TestOccupied(t *testing.T) {
	self, _ := os.Executable()
	for name, want := range map[string]bool{"once": true, "always": false} {
		file := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(file, nil, 0o666); err != nil {
			t.Fatal(err)
		}
		opts := Options{Runs: 100, Time: time.Second, Timeout: time.Minute, Command: []string{self, "hw-child", file}}
		h, err := Run(t.Context(), parse(t, sb), opts)
		switch {
		case want && (err != nil || h.Runs != 100):
			t.Errorf("%s: %v, %v", name, h, err)
		case !want && (err == nil || !strings.Contains(err.Error(), "no memory to be had at 0x21000000")):
			t.Errorf("%s: %v, %v", name, h, err)
		}
	}
}
