package report

import (
	"fmt"
	"strings"
)

// around is how many lines of a diff surround a change.
const around = 3

// unified writes how the text before becomes after, as diff -u does; nothing
// where they are the same.
func unified(b *strings.Builder, name, before, after string) {
	old, new := lines(before), lines(after)
	ops := changes(old, new)
	header := false
	for at := 0; at < len(ops); {
		// The next change, and the end of the hunk that it begins: where no
		// other change is near.
		for at < len(ops) && ops[at].kind == ' ' {
			at++
		}
		if at == len(ops) {
			break
		}
		last := at
		for i := at; i < len(ops) && i <= last+2*around; i++ {
			if ops[i].kind != ' ' {
				last = i
			}
		}
		from, to := max(at-around, 0), min(last+around+1, len(ops))
		if !header {
			fmt.Fprintf(b, "--- %s\n+++ %s\n", name, name)
			header = true
		}
		var olds, news int
		for _, op := range ops[from:to] {
			if op.kind != '+' {
				olds++
			}
			if op.kind != '-' {
				news++
			}
		}
		fmt.Fprintf(b, "@@ -%s +%s @@\n", hunk(ops[from].old, olds), hunk(ops[from].new, news))
		for _, op := range ops[from:to] {
			b.WriteByte(op.kind)
			b.WriteString(op.text)
			if !strings.HasSuffix(op.text, "\n") {
				b.WriteString("\n\\ No newline at end of file\n")
			}
		}
		at = to
	}
}

// hunk is the first line, counted from 1, and the number of lines.
func hunk(first, n int) string {
	switch n {
	case 0:
		return fmt.Sprintf("%d,0", first)
	case 1:
		return fmt.Sprint(first + 1)
	}
	return fmt.Sprintf("%d,%d", first+1, n)
}

// lines splits a text after its newlines.
func lines(s string) []string {
	ls := strings.SplitAfter(s, "\n")
	if n := len(ls) - 1; ls[n] == "" {
		ls = ls[:n]
	}
	return ls
}

// A change is a line that stays (' '), goes ('-') or comes ('+'), with its place
// in the two texts.
type change struct {
	kind     byte
	text     string
	old, new int
}

// changes is a shortest way from old to new. What the two begin and end with
// alike is set aside; the rest is small, as fences change little.
func changes(old, new []string) []change {
	begin := 0
	for begin < min(len(old), len(new)) && old[begin] == new[begin] {
		begin++
	}
	end := 0
	for end < min(len(old), len(new))-begin && old[len(old)-1-end] == new[len(new)-1-end] {
		end++
	}
	var ops []change
	for i := range begin {
		ops = append(ops, change{' ', old[i], i, i})
	}
	a, b := old[begin:len(old)-end], new[begin:len(new)-end]
	// common[i][j] is the length of what a[i:] and b[j:] have in common.
	common := make([][]int, len(a)+1)
	for i := range common {
		common[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				common[i][j] = common[i+1][j+1] + 1
			} else {
				common[i][j] = max(common[i+1][j], common[i][j+1])
			}
		}
	}
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			ops = append(ops, change{' ', a[i], begin + i, begin + j})
			i++
			j++
		case i < len(a) && (j == len(b) || common[i+1][j] >= common[i][j+1]):
			ops = append(ops, change{'-', a[i], begin + i, begin + j})
			i++
		default:
			ops = append(ops, change{'+', b[j], begin + i, begin + j})
			j++
		}
	}
	for k := range end {
		ops = append(ops, change{' ', old[len(old)-end+k], len(old) - end + k, len(new) - end + k})
	}
	return ops
}
