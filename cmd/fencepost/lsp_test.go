package main

import (
	"context"
	"strings"
	"testing"
)

func TestLSP(t *testing.T) {
	for _, tt := range []struct {
		in     string
		status int
		out    string
	}{
		{"Content-Length: 46\r\n\r\n" + `{"jsonrpc":"2.0","id":1,"method":"initialize"}` +
			"Content-Length: 44\r\n\r\n" + `{"jsonrpc":"2.0","id":2,"method":"shutdown"}` +
			"Content-Length: 33\r\n\r\n" + `{"jsonrpc":"2.0","method":"exit"}`, 0, `"hoverProvider":true`},
		{"", exitInput, ""},
	} {
		f := newFake(tt.in)
		if got := f.run(context.Background(), []string{"lsp"}); got != tt.status || !strings.Contains(f.out.String(), tt.out) {
			t.Errorf("%q: status %d, want %d\n%s%s", tt.in, got, tt.status, f.out.String(), f.err.String())
		}
	}
}
