package main

import (
	"os"
	"strings"
	"testing"
)

// TestPage: what is said on the page is here, or it would be gone when the page is written again.
func TestPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/exploration.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(page), "\n"+which+"\n## ") {
		t.Error("docs/exploration.md does not have the text of which.md")
	}
}
