package main

import (
	"strings"
	"testing"
)

// FuzzConfig reads files of settings: each is a list of checks, or an error in one line.
func FuzzConfig(f *testing.F) {
	f.Add("checks:\n  - files: [locks/..., queue.c]\n    model: [sc, tso]\n    timeout: 60s\n    define: {N: 3}\n")
	f.Add("checks:\n  - files: a.imp\n    engine: bmc\n    include: [x, y]\n  - files: [b.c]\n    property: race\n")
	f.Add("a: &a [x.imp]\nchecks: [{files: *a}]")
	f.Add("checks: [{files: &f [a, *f]}]")
	f.Add("checks: [{files: a, save-run: /tmp/x}]")
	f.Add("checks: {}\n---\nchecks: []")
	f.Add("")
	flags := (&app{}).checkCommand().Flags()
	f.Fuzz(func(t *testing.T, text string) {
		checks, err := readChecks(text)
		for _, c := range checks {
			s, e := readSetting(c, flags)
			if err = e; err != nil {
				break
			}
			for _, words := range s.flags {
				for _, w := range words {
					name, _, _ := strings.Cut(strings.TrimPrefix(w, "--"), "=")
					if flags.Lookup(name) == nil {
						t.Errorf("%q is no flag", w)
					}
				}
			}
		}
		if err != nil && strings.Contains(err.Error(), "\n") {
			t.Errorf("%q", err)
		}
	})
}
