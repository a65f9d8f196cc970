package main

import (
	"strings"
	"testing"
)

func TestModelsCompare(t *testing.T) {
	for _, tt := range []struct {
		args   string
		status int
		want   string // begins so
	}{
		{"models compare sc tso", 1, "APART  sc and tso  (x86, 0.00 s)\n\n  tso       allows 0:rax=0 /\\ 1:rax=0\n  sc        forbids it\n"},
		{"models compare -q tso pso", 1, "X86_64 MP\n"},
		{"models compare --size 3 sc tso", 0, "NO DIFFERENCE  sc and tso  (x86, 0.00 s)\n\n  searched  no test up to size 3 tells them apart; 2 tests in all\n"},
		{"models compare -o json --arch aarch64 sc armv8", 1, `{"schema":1,"type":"models-compare","a":"sc","b":"armv8","arch":"aarch64","apart":true,"test":{"name":"MP"`},
		{"models compare power armv8", 2, ""},
		{"models compare sc tsu", 2, ""},
		{"models compare sc", 2, ""},
	} {
		status, got, _ := runReal(t, tt.args)
		got = strings.ReplaceAll(got, ", 0.0 s)", ", 0.00 s)")
		if i := strings.Index(got, " s)"); i > 0 { // after the architecture
			if j := strings.LastIndex(got[:i], " "); !strings.HasPrefix(tt.want, "{") && tt.status < 2 && j > 0 && strings.HasSuffix(got[:j], ",") {
				got = got[:j] + " 0.00" + got[i:]
			}
		}
		if status != tt.status || !strings.HasPrefix(got, tt.want) {
			t.Errorf("%s: status %d,\n%s\nwant %d,\n%s", tt.args, status, got, tt.status, tt.want)
		}
	}
}
